//! `simplegl bench`: how fast this machine is, and what each part of a frame costs.
//!
//! | file | noun |
//! | --- | --- |
//! | `args.rs` | [`BenchArgs`]: the flags |
//! | `run.rs` | [`run()`]: all groups one after another, each row checked once |
//! | `measure.rs` | [`Measurement`]: warm-up, batches, median and quartiles |
//! | `row.rs` | [`Row`]: one line of the result |
//! | `machine.rs` | [`Machine`]: what the numbers were measured on |
//! | `cpu.rs`, `cuda.rs`, `frames.rs`, `switch.rs`, `startup.rs` | the groups |
//! | `config.rs`, `studio.rs` | which frames are measured, and what draws them |
//! | `report.rs`, `table.rs` | [`Report`]: as JSON, as a table, as Markdown |
//! | `compare.rs` | two reports side by side |
//! | `plot.rs` | a report as a picture |
//!
//! No row is faster because it does less: before a row is timed, what it makes is compared with what the CPU computes for it.

mod args;
mod compare;
mod config;
mod cpu;
mod cuda;
mod error;
mod frames;
mod machine;
mod measure;
mod plot;
mod report;
mod row;
mod run;
mod startup;
mod studio;
mod switch;
mod table;

pub use args::{BenchArgs, Group};
pub use compare::Comparison;
pub use error::BenchError;
pub use machine::Machine;
pub use measure::Measurement;
pub use report::Report;
pub use row::{Row, Variant};
pub use run::run;

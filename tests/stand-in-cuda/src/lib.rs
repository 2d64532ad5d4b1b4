//! A `libcuda.so.1` that runs on the CPU, for tests on machines without a GPU.
//!
//! It keeps honest state: contexts, streams with pending work, memory with checked ranges, modules whose PTX is really
//! read, GL resources that are mapped through the GL context of the calling thread. It runs this project's own kernels
//! through their CPU entry points and refuses to run others. It answers misuse with the real driver's codes, where those
//! were measured. It proves behaviour, never results of a GPU, and never speed.
//!
//! The test harness (`simplegl_tests::standin`) installs it as `libcuda.so.1` in a folder on `LD_LIBRARY_PATH`, and takes
//! functions out of the installed copy to play a driver that lacks them.
//!
//! # Settings
//!
//! The environment variable `SIMPLEGL_STANDIN` holds settings separated by `;`. One that makes no sense ends the process.
//!
//! | setting | meaning |
//! | --- | --- |
//! | `cuFunction=304` | the function does nothing and answers 304; `=304@3` only at its third call, `=304@3..` from then on, `=304@3..5` at these |
//! | `null=cuFunction` | the function claims success, does nothing and writes no out value; `@` as above |
//! | `version=12020` | what `cuDriverGetVersion` says (13000); newer PTX than this driver could know is refused with 222 |
//! | `devices=2` | how many devices there are (1) |
//! | `name=...` | the devices' name; from the second on, a number is added |
//! | `uuid=32 hex digits` | the first device's UUID; each further one counts the last byte up |
//! | `luid=NUMBER` | the first device's LUID, as on Windows; each further one counts up; without it there are none |
//! | `cc=9.0` | compute capability |
//! | `memory=BYTES` | memory of a device (8 GiB) |
//! | `attribute=20:3` | a device attribute by number |
//! | `gldevice=0,1` | the CUDA devices of the GL context (0); `none` for no device |
//! | `gl=stale` | unmapping hands nothing to GL, which goes on seeing the old content |
//! | `mappedsize=-1` | a mapped buffer claims one byte less than it has; `mappedsize=0` that size |
//! | `jitlog=TEXT` | the JIT's error log, also where a fault makes the load fail |
//! | `order=late` | asynchronous work runs when it is waited for (the default), or `now`, when it is submitted |
//! | `refused=closed` | an import that fails, by itself or by a fault, closes its file descriptor all the same; `open` (the default) leaves it |
//! | `log=FILE` | appends a line for each call; `log.rs` tells the format |
//! | `leftovers=FILE` | what is still there when the process ends, a `kind=count` a line |
//!
//! Beside the driver's functions there are a few of its own, by which one process can try many faults (`control.rs`).
//!
//! In the leftovers, `release_refused` counts objects that stayed because a fault or an earlier kernel failure refused
//! their release, `abandoned` those that were alive when their context was destroyed, and `violations` what real drivers
//! are known to crash on, such as unregistering with another GL context current.

#![allow(non_snake_case)]

mod abi;
mod array;
mod block;
mod call;
mod context;
mod control;
mod copy;
mod copy_shaped;
mod device;
mod error_text;
mod event;
mod external;
mod fault;
mod gl;
mod graphics;
mod kernel;
mod launch;
mod leftovers;
mod log;
mod memory;
mod module;
mod names;
mod object;
mod ptx;
mod queue;
mod settings;
mod state;
mod stream;

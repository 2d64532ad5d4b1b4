//! A benchmark from start to end.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::measure::Budget;
use super::{
    BenchArgs, BenchError, Comparison, Group, Machine, Report, Row, compare, cpu, cuda, frames,
    plot, startup, switch, table,
};

use crate::headless::{HeadlessContext, Wanted};

/// Width and height of every picture, in pixels: the sample's window.
pub(super) const PICTURE: [u32; 2] = [512, 512];

/// A benchmark in progress: where the groups put their rows.
pub(super) struct Bench<'a> {
    pub(super) args: &'a BenchArgs,
    rows: Vec<Row>,
    left_out: Vec<String>,
    progress: ProgressBar,
}

impl Bench<'_> {
    pub(super) fn quick(&self) -> bool {
        self.args.quick
    }

    pub(super) fn budget(&self) -> Budget {
        if self.args.quick { Budget::QUICK } else { Budget::FULL }
    }

    /// Shows what is being done.
    pub(super) fn say(&self, what: &str) {
        self.progress.set_message(what.to_owned());
        self.progress.tick();
    }

    pub(super) fn add(&mut self, row: Row) {
        self.rows.push(row);
        self.progress.inc(1);
    }

    /// Records that something cannot be measured here.
    pub(super) fn leave_out(&mut self, group: Group, reason: &str) {
        self.left_out.push(format!("{group}: {reason}"));
    }
}

/// Measures what was asked for and returns what to print on stdout. Progress goes to stderr.
///
/// # Errors
/// A file that cannot be used is found before anything is measured; a row that makes something else than the CPU ends the
/// benchmark.
pub fn run(args: &BenchArgs) -> Result<String, BenchError> {
    let other = args.compare.as_deref().map(compare::read).transpose()?;
    args.plot.as_deref().map(plot::check).transpose()?;
    let mut report = measure(args)?;
    report.comparison = other.map(|other| Comparison::new(&report, &other));
    if let Some(path) = &args.plot {
        plot::write(&report, path)?;
    }
    Ok(if args.json {
        let json = serde_json::to_string_pretty(&report);
        json.expect("a report has only numbers, texts and lists") + "\n"
    } else if args.markdown {
        table::markdown(&report)
    } else {
        table::text(&report)
    })
}

fn measure(args: &BenchArgs) -> Result<Report, BenchError> {
    let progress = ProgressBar::new_spinner().with_style(
        ProgressStyle::with_template("{spinner} {pos} rows in {elapsed}, now {msg}")
            .expect("a template of known fields"),
    );
    progress.enable_steady_tick(Duration::from_millis(200));
    let mut bench = Bench { args, rows: Vec::new(), left_out: Vec::new(), progress };
    if args.wants(Group::Startup) {
        startup::run(&mut bench)?;
    }
    if args.wants(Group::Cpu) {
        cpu::run(&mut bench)?;
    }
    let context = match HeadlessContext::new(args.device.map_or(Wanted::Any, Wanted::Prefer)) {
        Ok(context) => Some(context),
        Err(reason) => {
            bench.left_out.push(format!("all frames: {reason}"));
            None
        }
    };
    let paired = context.as_ref().and_then(|context| context.device().cuda_ordinal);
    let ordinal = args.device.or(paired).unwrap_or(0);
    let device = cuda::run(&mut bench, ordinal)?;
    if let Some(context) = &context {
        if args.wants(Group::Switch) {
            switch::run(&mut bench, context, ordinal)?;
        }
        frames::run(&mut bench, context, device)?;
    }
    let opengl = context.map(|context| context.gl().owner().to_string());
    bench.progress.finish_and_clear();
    Ok(Report {
        format: Report::FORMAT,
        quick: args.quick,
        picture: PICTURE,
        machine: Machine::here(device, opengl),
        rows: bench.rows,
        left_out: bench.left_out,
        comparison: None,
    })
}

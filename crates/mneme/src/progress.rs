//! The line that shows how far a run is, on a terminal.
//!
//! It is printed on standard error and is cleared for any other output. On a pipe there is none.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mneme_engine::{Progress, Stats};
use mneme_program::Program;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How often it changes.
const PULSE: Duration = Duration::from_millis(250);

/// One for the process, since all output has to clear it first. It is hidden until a run shows it.
static BAR: LazyLock<ProgressBar> = LazyLock::new(|| {
    let style = ProgressStyle::with_template("{wide_msg}").expect("a template without mistakes");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()).with_style(style)
});

/// Prints something while the line is cleared.
pub fn aside<T>(print: impl FnOnce() -> T) -> T {
    BAR.suspend(print)
}

/// Clears the line.
pub fn end() {
    BAR.finish_and_clear();
}

pub struct Line {
    begin: Instant,
    deadline: Option<Instant>,
    next: Instant,
    /// Instructions when it was last shown, for the speed.
    before: (Instant, u64),
}

/// From now on there is a line, unless nobody wants one.
pub fn show_bar(quiet: bool) {
    // `--verbose` prints enough lines already.
    if !quiet && !tracing::enabled!(tracing::Level::DEBUG) {
        BAR.set_draw_target(ProgressDrawTarget::stderr());
    }
}

/// What the line says now.
pub fn show(text: String) {
    BAR.set_message(text);
}

impl Line {
    pub fn new(quiet: bool, begin: Instant, deadline: Option<Instant>) -> Line {
        show_bar(quiet);
        Line {
            begin,
            deadline,
            next: begin + PULSE,
            before: (begin, 0),
        }
    }

    /// Updates the line if it is time.
    pub fn show(&mut self, progress: &Progress, program: Option<&Program>, findings: usize) {
        let now = Instant::now();
        if BAR.is_hidden() || now < self.next {
            return;
        }
        self.next = now + PULSE;
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(now));
        let text = match program {
            None => format!("compiling{}", remaining(left)),
            Some(program) => {
                let stats = progress.stats();
                let seconds = (now - self.before.0).as_secs_f64();
                let speed = stats.instructions.saturating_sub(self.before.1) as f64 / seconds;
                self.before = (now, stats.instructions);
                let (reached, all) = progress.covered(program);
                let percent = 100 * reached / all.max(1);
                let figures = Figures {
                    findings,
                    states: progress.states(),
                    percent,
                    speed,
                    elapsed: now - self.begin,
                    left,
                };
                line(&stats, &figures)
            }
        };
        BAR.set_message(text);
    }
}

struct Figures {
    findings: usize,
    states: u64,
    /// Of the instructions.
    percent: u64,
    /// Instructions a second.
    speed: f64,
    elapsed: Duration,
    left: Option<Duration>,
}

fn line(stats: &Stats, figures: &Figures) -> String {
    // Both over all sessions of the run.
    let share = 100.0 * stats.solver.as_secs_f64() / stats.explore.as_secs_f64().max(0.001);
    let paths = stats.paths.completed + stats.paths.faulted + stats.paths.stopped;
    format!(
        "{}, {}, {}, {} % covered, {} instructions/s, {:.0} % solving, {} s{}",
        count(paths, "path"),
        count(figures.findings as u64, "finding"),
        count(figures.states, "state"),
        figures.percent,
        short(figures.speed),
        share.min(100.0),
        figures.elapsed.as_secs(),
        remaining(figures.left),
    )
}

fn remaining(left: Option<Duration>) -> String {
    left.map_or(String::new(), |left| format!(", {} s left", left.as_secs()))
}

/// "1 path", "2 paths".
pub fn count(n: u64, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// Three digits are enough for a figure that changes constantly.
fn short(n: f64) -> String {
    match n {
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e3 => format!("{:.1} k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mneme_finding::Paths;

    #[test]
    fn a_line_tells_the_figures() {
        let stats = Stats {
            paths: Paths {
                completed: 12,
                faulted: 1,
                ..Paths::default()
            },
            instructions: 5,
            explore: Duration::from_secs(8),
            solver: Duration::from_secs(2),
            ..Stats::default()
        };
        let figures = Figures {
            findings: 1,
            states: 7,
            percent: 83,
            speed: 1_250_000.0,
            elapsed: Duration::from_secs(9),
            left: Some(Duration::from_secs(51)),
        };
        let text = line(&stats, &figures);
        assert_eq!(
            text,
            "13 paths, 1 finding, 7 states, 83 % covered, 1.2 M instructions/s, 25 % solving, 9 s, 51 s left"
        );
    }
}

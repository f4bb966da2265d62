//! `mneme run`: compile, explore, report.

mod figures;
mod load;
mod options;

use crate::check::{DatabaseError, SarifError};
use crate::cli::{Format, RunArgs, WhichTests};
use crate::models::Model;
use crate::progress::count;
use crate::resume::{Identity, ResumeError, Saved};
use crate::watchdog::{self, Watchdog};
use crate::writer::{Shared, Writer};
use crate::{baseline, callers, exit, handlers, inputs, minimise, progress, replay, summary};
use figures::{coverage, report};
pub use load::load_library;
use mneme_engine::{Cause, Halt, Options, Progress, SeedTest, Silent, Stats};
use mneme_finding::Confirmations;
use mneme_memory::Reason;
use mneme_program::{Function, Program, ProgramError};
use mneme_report::{Baseline, OutDir};
use mneme_solver::{Alarm, Difference, Interrupt};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Program(#[from] mneme_program::ProgramError),
    #[error(transparent)]
    Solver(#[from] mneme_solver::SolverError),
    #[error(transparent)]
    Out(#[from] mneme_report::OutDirError),
    #[error(transparent)]
    Engine(#[from] mneme_engine::EngineError),
    #[error(transparent)]
    Resume(#[from] ResumeError),
    #[error("{trouble}; the run ended there, and what was written before is intact: free some space and continue with `mneme run --resume {}`", dir.display())]
    Unwritable {
        trouble: mneme_report::OutDirError,
        dir: PathBuf,
    },
    #[error("the seed tests in `{}` cannot be read: {source}", path.display())]
    Seeds {
        path: PathBuf,
        source: mneme_report::KTestError,
    },
    #[error("{option} is for --model {of} alone: leave it out, or run without --model {model}")]
    OtherModel {
        option: String,
        of: &'static str,
        model: String,
    },
    #[error("{0}")]
    Options(String),
    #[error(transparent)]
    Handler(#[from] handlers::HandlerError),
    #[error("--merge-at names `{0}`, which the program does not define: give the name of one of its functions")]
    NoFunction(String),
    #[error("the directory of --root cannot be used: {0}")]
    Root(std::io::Error),
    #[error("the headers for harnesses cannot be written: {0}")]
    Headers(std::io::Error),
    #[error(transparent)]
    Baseline(#[from] mneme_report::BaselineError),
    #[error(transparent)]
    Replay(#[from] mneme_replay::ReplayError),
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Sarif(#[from] SarifError),
    #[error("processes for the functions cannot be started: {0}")]
    Processes(std::io::Error),
    #[error("{} cannot be written: {source}", path.display())]
    CheckJson { path: PathBuf, source: std::io::Error },
    #[error(
        "internal error: an answer is {said} where the solver says {expected}; the query is in `{}`, please report it", query.display()
    )]
    Paranoid {
        said: &'static str,
        expected: &'static str,
        query: PathBuf,
    },
}

/// How often fast-changing results are written.
const PULSE: Duration = Duration::from_secs(1);
/// How long to wait for a hanging worker that is busy writing.
const WRITING_TIMEOUT: Duration = Duration::from_millis(500);

pub fn run(models: &[Model], args: &RunArgs) -> Result<u8, RunError> {
    if args.list_models {
        models.iter().for_each(|model| say!("{}", model.name));
        return Ok(exit::CLEAN);
    }
    let saved = args.resume.as_deref().map(Saved::read).transpose()?;
    let again = match (&args.resume, &saved) {
        (Some(dir), Some(saved)) if args.files.is_empty() => Some(saved.command(models, args, dir)?),
        _ => None,
    };
    explore(again.as_ref().unwrap_or(args), saved)
}

/// Options that have no effect on the chosen model are probably a mistake.
fn fit_model(args: &RunArgs) -> Result<(), RunError> {
    match args.chosen().stray() {
        Some(stray) => Err(RunError::OtherModel {
            option: stray.option.clone(),
            of: stray.of,
            model: args.model.clone(),
        }),
        None => match inputs::complaint(&args.inputs).or_else(|| match args.resume {
            Some(_) => None,
            None => inputs::missing(&args.inputs),
        }) {
            Some(complaint) => Err(RunError::Options(complaint)),
            None => args.chosen().check().map_err(RunError::Options),
        },
    }
}

fn defines(program: &Program, name: &str) -> bool {
    let called = |function: &Function| function.name == name || function.source_name.as_deref() == Some(name);
    program
        .functions
        .iter()
        .any(|function| called(function) && !function.is_declaration())
}

/// What a run may use unless told otherwise: an analysed program that allocates for ever must not take all of the
/// machine's memory.
fn most_memory() -> Option<u64> {
    let about = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = about.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024 / 8 * 7)
}

fn explore(args: &RunArgs, saved: Option<Saved>) -> Result<u8, RunError> {
    fit_model(args)?;
    let run = Run::new(args, saved, options::seeds(&args.seed_tests)?, baseline::read(args)?);
    let asked = Interrupt::new();
    stop_on_ctrl_c(&asked, &run.halt);
    let watchdog = Watchdog::new(run.deadline, run.max_memory, run.halt.clone());
    std::thread::scope(|scope| {
        scope.spawn(|| watchdog.watch(|| run.tick(), |cause| run.last_words(cause)));
        let explored = watchdog.over(|| run.explore(&watchdog.cancel));
        progress::end();
        let stats = explored?;
        if let Some(difference) = run.alarm.difference() {
            return Err(run.internal_error(difference)?);
        }
        run.writer()?.lock().rank();
        if let Some(program) = run.program.get() {
            callers::ask(args, program, &mut run.writer()?.lock());
        }
        if args.minimise && args.function.is_none() && !asked.is_set() {
            run.keep_fewest()?;
        }
        let confirmations = match args.confirm {
            true => {
                let what = (&args.files[..], &args.compile);
                Some(replay::confirm(what, args.format, &mut run.writer()?.lock(), &asked)?)
            }
            false => None,
        };
        run.close(&stats, confirmations)
    })
}

/// What a run has so far. The watchdog closes it in place of a hanging worker.
struct Run<'a> {
    args: &'a RunArgs,
    known: Option<Baseline>,
    begin: Instant,
    halt: Halt,
    progress: Arc<Progress>,
    program: OnceLock<Program>,
    writer: OnceLock<Shared>,
    /// What an earlier session left.
    saved: Option<Saved>,
    /// Tests whose paths come first.
    seeds: Vec<SeedTest>,
    deadline: Option<Instant>,
    /// Bytes.
    max_memory: Option<u64>,
    /// Where `--paranoid` reports what is wrong.
    alarm: Alarm,
    line: Mutex<progress::Line>,
    /// When coverage and figures are written next.
    due: Mutex<Instant>,
}

impl<'a> Run<'a> {
    fn new(args: &'a RunArgs, saved: Option<Saved>, seeds: Vec<SeedTest>, known: Option<Baseline>) -> Run<'a> {
        let begin = Instant::now();
        let time = args.max_time.and_then(|time| Duration::try_from_secs_f64(time).ok());
        let deadline = time.and_then(|time| begin.checked_add(time));
        Run {
            args,
            saved,
            known,
            seeds,
            deadline,
            max_memory: args.max_memory.map(|mib| mib << 20).or_else(most_memory),
            alarm: Alarm::default(),
            line: Mutex::new(progress::Line::new(args.quiet, begin, deadline)),
            due: Mutex::new(begin + PULSE),
            begin,
            halt: Halt::new(),
            progress: Arc::default(),
            program: OnceLock::new(),
            writer: OnceLock::new(),
        }
    }

    /// Where the results go. The directory is made when it is first needed, so that a program that does not compile
    /// leaves the results of the last run alone.
    fn writer(&self) -> Result<&Shared, RunError> {
        if self.writer.get().is_none() {
            let out = match &self.args.resume {
                Some(dir) => OutDir::reopen(dir)?,
                None => OutDir::create(self.args.out.as_deref())?,
            };
            let mut writer = Writer::new(out, self.name(), self.words(), self.args.program_output);
            writer.format = self.args.format;
            writer.which = match self.args.minimise {
                true => WhichTests::Covering,
                false => self.args.tests,
            };
            writer.baseline = self.known.clone();
            writer.halt = self.halt.clone();
            match &self.saved {
                Some(_) => writer.go_on()?,
                None => writer.write_sarif(),
            }
            let _ = self.writer.set(Shared::new(writer));
        }
        Ok(self.writer.get().expect("it was just made"))
    }

    /// The arguments of the program, with the words that say what is symbolic.
    fn words(&self) -> Vec<String> {
        let takes_arguments = |program| !inputs::reads_of_arguments(program).is_empty();
        inputs::words(self.args, self.program.get().is_some_and(takes_arguments))
    }

    fn name(&self) -> String {
        self.args.files[0].display().to_string()
    }

    fn explore(&self, cancel: &Arc<AtomicBool>) -> Result<Stats, RunError> {
        let args = self.args;
        let program = match load::load(args, cancel) {
            Err(RunError::Program(ProgramError::Cancelled)) => {
                let cause = self.halt.cause().unwrap_or(Cause::Interrupted);
                return Ok(unexplored(cause));
            }
            program => {
                let program = program?;
                self.program.get_or_init(|| program)
            }
        };
        if let Some(name) = args.merge_at.iter().find(|name| !defines(program, name)) {
            return Err(RunError::NoFunction(name.clone()));
        }
        let mut identity = Identity::new(args, program);
        if let (Some(saved), Some(dir)) = (&self.saved, &args.resume) {
            saved.fits(&identity, dir)?;
            identity = saved.identity.clone();
        }
        let solver = mneme_solver::chain(&self.chain())?;
        let mut writer = self.writer()?;
        writer.lock().identity = Some(identity);
        let outside = inputs::outside(args, writer.lock().out()).map_err(RunError::Root)?;
        let options = Options {
            outside,
            resume: self.saved.as_ref().map(|saved| saved.frontier.clone()),
            known: writer.lock().findings.clone(),
            ..self.options()
        };
        let mut stats = args.chosen().explore(program, &options, solver, &mut writer)?;
        inputs::note_arguments(&mut stats, program, self.args, &options.args);
        Ok(stats)
    }

    /// Removes tests that cover nothing that others do not.
    fn keep_fewest(&self) -> Result<(), RunError> {
        let Some(program) = self.program.get() else {
            return Ok(());
        };
        let mut writer = self.writer()?.lock();
        let outside = inputs::outside(self.args, writer.out()).map_err(RunError::Root)?;
        let mut covered = |given| -> Result<_, RunError> {
            let options = Options {
                outside: outside.clone(),
                given: Some(given),
                deadline: Instant::now().checked_add(minimise::LONGEST_RUN),
                ..minimise::plainly(self.options())
            };
            let solver = mneme_solver::chain(&self.chain())?;
            let stats = self.args.chosen().explore(program, &options, solver, &mut Silent)?;
            Ok(minimise::covered(&stats))
        };
        let redundant = minimise::redundant(writer.out().path(), &mut covered)?;
        writer.remove(&redundant);
        Ok(())
    }

    /// Writes the final results.
    fn close(&self, stats: &Stats, confirmations: Option<Confirmations>) -> Result<u8, RunError> {
        let mut report = report(self.args, stats, self.begin.elapsed(), self.program.get());
        report.confirmations = confirmations;
        let mut writer = self.writer()?.lock();
        writer.rank();
        writer.settle();
        writer.tidy();
        writer.figures(&report, self.program.get().map(|program| coverage(stats, program)));
        match self.args.format {
            Format::Json => say!("{:#}", writer.document(&report)),
            Format::Text if !self.args.quiet => {
                summary::say(&report, stats, &writer, self.args.chosen().unbounded());
                self.say_whether_same(stats, &writer);
            }
            Format::Text => {}
        }
        if let Some(trouble) = writer.trouble.take() {
            let dir = writer.out().path().to_owned();
            return Err(RunError::Unwritable { trouble, dir });
        }
        baseline::close(self.args, &writer, stats.exact())?;
        Ok(match (writer.findings.len() == writer.known(), stats.exact()) {
            (false, _) => exit::FINDINGS,
            (true, true) => exit::CLEAN,
            (true, false) => exit::INCOMPLETE,
        })
    }

    /// The verdict on two functions.
    fn say_whether_same(&self, stats: &Stats, writer: &Writer) {
        let (Some(f), Some(g)) = (&self.args.function, &self.args.same_as) else {
            return;
        };
        match (writer.findings.is_empty(), stats.exact()) {
            (false, _) => say!("`{f}` and `{g}` differ"),
            (true, true) => say!("`{f}` and `{g}` do the same for all inputs"),
            (true, false) => say!("no difference between `{f}` and `{g}` was found"),
        }
        if stats.paths.excluded > 0 {
            let paths = count(stats.paths.excluded, "path");
            say!("{paths} left out on which `{f}` itself goes wrong");
        }
    }

    /// Records a query that was answered wrongly.
    fn internal_error(&self, difference: &Difference) -> Result<RunError, RunError> {
        let query = self.writer()?.lock().out().path().join("paranoid.smt2");
        if let Err(error) = std::fs::write(&query, &difference.script) {
            eprintln!("mneme: {}: {error}", query.display());
        }
        Ok(RunError::Paranoid {
            said: difference.said,
            expected: difference.expected,
            query,
        })
    }

    /// While the worker runs, in another thread: keeps the progress line, and the figures and coverage on disk, up to
    /// date.
    fn tick(&self) {
        if self.alarm.difference().is_some() {
            self.halt.because(Cause::Interrupted);
        }
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(program), Some(writer)) = (self.program.get(), self.writer.get()) else {
            line.show(&self.progress, None, 0);
            return;
        };
        // Not while the worker prints.
        if let Some(writer) = writer.try_lock() {
            line.show(&self.progress, Some(program), writer.findings.len());
        }
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        if Instant::now() < *due {
            return;
        }
        let begin = Instant::now();
        let mut stats = self.progress.closing(program);
        stats.stop("the run is not over".into(), self.progress.states());
        let report = report(self.args, &stats, self.begin.elapsed(), Some(program));
        if let Some(mut writer) = writer.try_lock() {
            writer.figures(&report, Some(coverage(&stats, program)));
        }
        *due = Instant::now() + PULSE.max(begin.elapsed() * 20);
    }

    /// Closes a run whose worker does not return.
    fn last_words(&self, cause: Cause) -> u8 {
        progress::end();
        let stats = match self.program.get() {
            None => unexplored(cause),
            Some(program) => {
                let mut stats = self.progress.closing(program);
                stats.explore = self.begin.elapsed();
                stats.stop(Reason::Limit(cause.name()).to_string(), self.progress.states().max(1));
                stats
            }
        };
        let busy = |writer: &Shared| writer.try_lock().is_none();
        let deadline = Instant::now() + WRITING_TIMEOUT;
        while self.writer.get().is_some_and(busy) {
            if Instant::now() > deadline {
                eprintln!("mneme: writing the results takes too long; `stats.json` is missing or old");
                return exit::INCOMPLETE;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.close(&stats, None).unwrap_or_else(|error| {
            eprintln!("mneme: {error}");
            exit::USAGE
        })
    }
}

/// The figures of a run that ended before it had a program.
fn unexplored(cause: Cause) -> Stats {
    let mut stats = Stats::default();
    stats.stop(Reason::Limit(cause.name()).to_string(), 1);
    stats
}

/// Ctrl-C once: finish cleanly; twice: at once.
fn stop_on_ctrl_c(asked: &Interrupt, halt: &Halt) {
    let (asked, halt) = (asked.clone(), halt.clone());
    let _ = ctrlc::set_handler(move || {
        if asked.is_set() {
            watchdog::leave(exit::INTERRUPTED);
        }
        asked.fire();
        halt.because(Cause::Interrupted);
    });
}

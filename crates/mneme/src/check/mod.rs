//! `mneme check`: every function of the files alone, on arguments and globals that may be anything.
//!
//! The program is compiled and lowered once. Each function is explored in a process of its own (`pool`), which reports
//! line by line (`one`); what they found becomes one list (`ranking`), is confirmed if that is wanted, and printed.

mod cache;
mod database;
mod fingerprint;
mod one;
mod pool;
mod ranking;
mod sarif;

use crate::cli::{CheckArgs, Format};
use crate::models::Model;
use crate::run::{self, RunError};
use crate::writer::Writer;
use crate::{cli, exit, progress, replay, summary};
pub use database::DatabaseError;
use mneme_engine::{
    Aliases, Callers, Cause, Globals, Halt, Novelty, Observer, OnDemand, Options, Progress, TestCase, processor_time,
};
use mneme_finding::{Assumption, Confirmations, Finding};
use mneme_program::{FunctionId, Program};
use mneme_report::{Baseline, OutDir, Style};
use mneme_solver::{BackendChoice, Cache, ChainOptions, Interrupt};
use one::{Explored, Reporter};
use pool::{Ended, Overseer};
pub use sarif::SarifError;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much longer than its time a function may take before its process is killed.
const GRACE: Duration = Duration::from_secs(2);
/// How many times its processor time a function may take by the clock, while the machine is busy with other things.
const SLOWEST: f64 = 10.0;
/// How often a function's processor time is looked at when it is nearly over.
const PULSE: Duration = Duration::from_millis(10);
/// How much longer a function may take for a warning than in search of errors.
const PATIENCE: f64 = 5.0;
/// An exploration goes on for this many times the time that it took to reach the newest line or branch …
const SETTLING: u32 = 3;
/// … and this part of the time of a function.
const SHORTEST: u32 = 8;
/// Instructions of one path.
const LONGEST_PATH: u64 = 100_000;

/// The user has asked for the end.
static ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn ask(_: libc::c_int) {
    // The second time, nothing is waited for.
    if ASKED.swap(true, Ordering::Relaxed) {
        // SAFETY: ends the process; allowed in a handler.
        unsafe { libc::_exit(i32::from(exit::INTERRUPTED)) }
    }
}

pub fn check(_: &[Model], args: &mut CheckArgs) -> Result<u8, RunError> {
    if let Some(database) = &args.database {
        let all = database::read(database, &args.files)?;
        args.files = all.iter().map(|(file, _)| file.clone()).collect();
        args.compile.flags_of = all.into_iter().collect();
    }
    let args = &*args;
    if let Some(stray) = args.chosen().stray() {
        return Err(RunError::OtherModel {
            option: stray.option.clone(),
            of: stray.of,
            model: args.model.clone(),
        });
    }
    args.chosen().check().map_err(RunError::Options)?;
    let known = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let begin = Instant::now();
    let mut program = run::load_library(&args.files, &args.compile)?;
    let documents = sarif::read(&args.confirm_sarif)?;
    let tasks = match documents.is_empty() {
        true => tasks(args, &program)?,
        false => sarif::tasks(&documents, &program),
    };
    // SAFETY: the handler does nothing but set a flag.
    unsafe { libc::signal(libc::SIGINT, ask as *const () as libc::sighandler_t) };
    let kept = cache::Kept::new(args, &program);
    let mut over = Over::new(args, &program, &tasks, begin, &kept);
    let tasks = over.take_kept(&tasks);
    let time = match documents.is_empty() {
        true => args.function_time,
        false => PATIENCE * args.function_time,
    };
    let callers = match args.odd_callers || !documents.is_empty() {
        true => Callers::Any,
        false => Callers::Usual,
    };
    let mut work = |task: usize, to: &mut dyn Write| {
        let options = options(args, callers, Duration::from_secs_f64(SLOWEST * time));
        // A warning is judged by all that can be explored.
        let settles = documents.is_empty();
        limit(&options.halt, &options.progress, Duration::from_secs_f64(time), settles);
        explore(args, options, &mut program, FunctionId(task as u32), to);
    };
    let jobs = args.jobs.map_or_else(processors, |jobs| jobs as usize);
    let most = Duration::from_secs_f64(SLOWEST * time) + GRACE;
    pool::run(&tasks, jobs, most, &mut work, &mut over).map_err(RunError::Processes)?;
    progress::end();
    if !documents.is_empty() {
        return sarif::judge(args, &program, documents, over);
    }
    let results = std::mem::take(&mut over.results);
    let mut report = Report::new(args, &program, results, begin, known)?;
    report.kept = over.taken;
    report.close()
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// The functions to be explored, by number.
fn tasks(args: &CheckArgs, program: &Program) -> Result<Vec<usize>, RunError> {
    let named = |id: &usize, name: &str| {
        let function = &program.functions[*id];
        function.name == name || function.source_name.as_deref() == Some(name)
    };
    let own = |id: &usize| !program.functions[*id].runtime && !program.functions[*id].is_declaration();
    let all: Vec<usize> = (0..program.functions.len()).filter(own).collect();
    if let Some(name) = args.function.iter().find(|name| !all.iter().any(|id| named(id, name))) {
        return Err(mneme_program::ProgramError::NoFunction { name: name.clone() }.into());
    }
    let wanted = |id: &usize| args.function.is_empty() || args.function.iter().any(|name| named(id, name));
    let mut tasks: Vec<usize> = all.into_iter().filter(wanted).collect();
    // Those that may take long first, so that none is alone at the end.
    tasks.sort_by_key(|&id| std::cmp::Reverse(program.functions[id].code.len()));
    Ok(tasks)
}

/// Explores one function, in a process that has nothing else to do.
fn explore(args: &CheckArgs, options: Options, program: &mut Program, function: FunctionId, to: &mut dyn Write) {
    program.main = Some(function);
    let mut reporter = Reporter(to);
    let chain = ChainOptions {
        backend: BackendChoice::Portfolio,
        cache: Some(Cache::AddressAware),
        interrupt: options.halt.interrupt().clone(),
        ..ChainOptions::default()
    };
    let explored = mneme_solver::chain(&chain)
        .map_err(|error| error.to_string())
        .and_then(|solver| {
            let explored = args.chosen().explore(program, &options, solver, &mut reporter);
            explored.map_err(|error| error.to_string())
        });
    match explored {
        Ok(stats) => reporter.over(&stats),
        Err(why) => reporter.refused(&why),
    }
}

/// Ends the exploration when this process has used up its processor time, or has reached nothing new for long: what it
/// comes to does not depend on what else the machine does. A child is a process of its own, whose time begins with it.
fn limit(halt: &Halt, progress: &Arc<Progress>, most: Duration, settles: bool) {
    let (halt, progress) = (halt.clone(), progress.clone());
    std::thread::spawn(move || {
        let (mut reached, mut since) = (0, Duration::ZERO);
        let cause = loop {
            std::thread::sleep(PULSE);
            let used = processor_time();
            let now = progress.reached();
            if now > reached {
                (reached, since) = (now, used);
            }
            if used >= most {
                break Cause::Time;
            }
            if settles && used > SETTLING * since + most / SHORTEST {
                break Cause::Settled;
            }
        };
        halt.because(cause);
    });
}

fn options(args: &CheckArgs, callers: Callers, time: Duration) -> Options {
    Options {
        deadline: Instant::now().checked_add(time),
        max_memory: Some(args.max_memory << 20),
        max_path: Some(LONGEST_PATH),
        solver_timeout: Some(Duration::from_secs_f64(args.solver_timeout)),
        check_leaks: true,
        check_escapes: true,
        malloc_may_fail: true,
        unknown_calls: cli::unknown_calls_of(&args.unknown_calls),
        inline_depth: Some(args.inline_depth as usize),
        loop_rounds: Some(args.loop_rounds),
        callers,
        on_demand: Some(OnDemand {
            depth: args.structure_depth,
            elements: args.elements,
            globals: Globals::Any,
            aliases: match args.odd_callers {
                true => Aliases::SameType,
                false => Aliases::Never,
            },
        }),
        halt: Halt::new(),
        native_helper: vec!["/proc/self/exe".into(), cli::NATIVE_HELPER.into()],
        ..Options::default()
    }
}

/// What is over so far.
struct Over<'a> {
    results: BTreeMap<usize, (Explored, Ended)>,
    names: BTreeMap<usize, String>,
    deadline: Option<Instant>,
    begin: Instant,
    args: &'a CheckArgs,
    kept: &'a cache::Kept,
    /// Results that an earlier run has kept.
    taken: usize,
}

impl<'a> Over<'a> {
    fn new(args: &'a CheckArgs, program: &Program, tasks: &[usize], begin: Instant, kept: &'a cache::Kept) -> Over<'a> {
        let name = |&id: &usize| (id, name(program, id));
        let time = args.max_time.and_then(|time| Duration::try_from_secs_f64(time).ok());
        progress::show_bar(args.quiet);
        Over {
            results: BTreeMap::new(),
            names: tasks.iter().map(name).collect(),
            deadline: time.and_then(|time| begin.checked_add(time)),
            begin,
            args,
            kept,
            taken: 0,
        }
    }

    /// Takes the results that an earlier run has kept; the other tasks are left.
    fn take_kept(&mut self, tasks: &[usize]) -> Vec<usize> {
        let mut left = Vec::new();
        for &task in tasks {
            match self.kept.find(task) {
                Some(explored) => _ = self.results.insert(task, (explored, Ended::Done)),
                None => left.push(task),
            }
        }
        self.taken = self.results.len();
        left
    }
}

impl Overseer for Over<'_> {
    fn over(&mut self, task: usize, text: &[u8], ended: Ended) {
        let explored = Explored::read(text);
        // What was cut short may come further another time.
        if ended == Ended::Done {
            self.kept.keep(task, &explored);
        }
        self.results.insert(task, (explored, ended));
    }

    fn tick(&mut self, running: &[usize]) -> bool {
        let shown = |explored: &Explored| {
            explored
                .found
                .iter()
                .filter(|f| is_shown(self.args, &f.finding))
                .count()
        };
        let findings: usize = self.results.values().map(|(explored, _)| shown(explored)).sum();
        let names: Vec<&str> = running.iter().map(|task| &*self.names[task]).collect();
        if !self.args.quiet {
            progress::show(format!(
                "{} of {} functions, {}, {} s: {}",
                self.results.len(),
                self.names.len(),
                progress::count(findings as u64, "finding"),
                self.begin.elapsed().as_secs(),
                names.join(", "),
            ));
        }
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        late || ASKED.load(Ordering::Relaxed)
    }
}

fn name(program: &Program, id: usize) -> String {
    let function = &program.functions[id];
    function.source_name.clone().unwrap_or_else(|| function.name.clone())
}

/// What needs an unusual caller is left out unless the user wants it.
fn is_shown(args: &CheckArgs, finding: &Finding) -> bool {
    let odd = finding.assumption.is_some_and(Assumption::is_odd);
    args.odd_callers || !odd
}

/// The results of all functions on their way out.
struct Report<'a> {
    args: &'a CheckArgs,
    writer: Writer,
    begin: Instant,
    /// Findings that are not shown.
    odd: usize,
    functions: Vec<Value>,
    /// Functions whose paths were not all explored, and why.
    incomplete: usize,
    reasons: BTreeMap<String, u64>,
    /// Functions whose results an earlier run has kept.
    kept: usize,
}

impl<'a> Report<'a> {
    fn new(
        args: &'a CheckArgs,
        program: &Program,
        results: BTreeMap<usize, (Explored, Ended)>,
        begin: Instant,
        known: Option<Baseline>,
    ) -> Result<Self, RunError> {
        let out = OutDir::create(args.out.as_deref())?;
        let mut writer = Writer::new(out, args.files[0].display().to_string(), Vec::new(), false);
        // Nothing is printed before all of it is there and in order.
        writer.format = Format::Json;
        writer.baseline = known;
        writer.write_sarif();
        let mut report = Report {
            args,
            writer,
            begin,
            odd: 0,
            functions: Vec::new(),
            incomplete: 0,
            reasons: BTreeMap::new(),
            kept: 0,
        };
        let mut found = Vec::new();
        for (task, (explored, ended)) in results {
            report.function(program, task, &explored, ended);
            found.extend(explored.found);
        }
        let all = ranking::distinct(found);
        let (shown, odd): (Vec<_>, Vec<_>) = all.into_iter().partition(|found| is_shown(args, &found.finding));
        report.odd = odd.len();
        for found in shown {
            let test: &TestCase = &found.test;
            report.writer.found(&found.finding, test, Novelty::First);
        }
        Ok(report)
    }

    fn function(&mut self, program: &Program, task: usize, explored: &Explored, ended: Ended) {
        let function = &program.functions[task];
        let figures = explored.figures.clone();
        let mut reasons = figures
            .as_ref()
            .map(|figures| figures.reasons.clone())
            .unwrap_or_default();
        let mut because = |why: &str| _ = reasons.insert(why.into(), 1);
        match (ended, &figures, &explored.refused) {
            (_, _, Some(why)) => because(why),
            (_, Some(_), _) => {}
            (Ended::Late, ..) => because("limit: time"),
            (..) => because("its exploration ended unexpectedly"),
        }
        let exact = figures.as_ref().is_some_and(|figures| figures.exact);
        self.incomplete += usize::from(!exact);
        for (why, count) in &reasons {
            *self.reasons.entry(general(why)).or_default() += count;
        }
        let file = program.files.get(function.loc.file as usize);
        self.functions.push(json!({
            "function": name(program, task),
            "file": file.map(|file| mneme_report::relative(file, self.writer.cwd())),
            "line": function.loc.line,
            "findings": explored.found.len(),
            "exact": exact,
            "exact_reasons": reasons,
            "paths": figures.as_ref().map(|figures| &figures.paths),
            "instructions": figures.as_ref().map(|figures| figures.instructions),
            "seconds": figures.as_ref().map(|figures| figures.seconds),
        }));
    }

    /// Confirms, prints, writes.
    fn close(mut self) -> Result<u8, RunError> {
        let confirmations = match self.args.confirm {
            true => Some(self.confirm()?),
            false => None,
        };
        self.writer.arrange(ranking::sort);
        let document = self.document(confirmations.as_ref());
        let path = self.writer.out().path().join("check.json");
        let text = format!("{document:#}\n");
        std::fs::write(&path, text).map_err(|source| RunError::CheckJson { path, source })?;
        match self.args.format {
            Format::Json => say!("{document:#}"),
            Format::Text => self.print(confirmations.as_ref()),
        }
        if let Some(path) = &self.args.write_baseline {
            self.writer.next_baseline().write(path)?;
        }
        if let Some(trouble) = self.writer.trouble.take() {
            return Err(trouble.into());
        }
        Ok(match self.writer.findings.len() == self.writer.known() {
            false => exit::FINDINGS,
            true if self.incomplete == 0 && !ASKED.load(Ordering::Relaxed) => exit::CLEAN,
            true => exit::INCOMPLETE,
        })
    }

    fn confirm(&mut self) -> Result<Confirmations, RunError> {
        let args = self.args;
        let what = (&args.files[..], &args.compile);
        Ok(replay::confirm(
            what,
            Format::Json,
            &mut self.writer,
            &Interrupt::new(),
        )?)
    }

    fn document(&self, confirmations: Option<&Confirmations>) -> Value {
        json!({
            "version": 1,
            "findings": mneme_report::findings(&self.writer.findings, self.writer.cwd()),
            "odd_callers": self.odd,
            "functions": self.functions,
            "ignored": self.writer.ignored.len(),
            "kept": self.kept,
            "confirmations": confirmations,
            "wall_s": self.begin.elapsed().as_secs_f64(),
        })
    }

    fn print(&self, confirmations: Option<&Confirmations>) {
        for finding in &self.writer.findings {
            let shown = self.writer.rendered(finding, Style::Colour);
            let _ = progress::aside(|| writeln!(anstream::stdout(), "{shown}"));
        }
        if self.args.quiet {
            return;
        }
        let known = match self.writer.known() {
            0 => String::new(),
            known => format!(" ({known} known)"),
        };
        let confirmed = confirmations.map(|counts| format!(", {} confirmed", counts.confirmed));
        say!(
            "{} in {:.1} s: {}{known}{}; results in {}",
            progress::count(self.functions.len() as u64, "function"),
            self.begin.elapsed().as_secs_f64(),
            progress::count(self.writer.findings.len() as u64, "finding"),
            confirmed.unwrap_or_default(),
            self.writer.out().path().display(),
        );
        summary::say_ignored(&self.writer);
        if self.kept > 0 {
            say!(
                "{} unchanged since an earlier run",
                progress::count(self.kept as u64, "function")
            );
        }
        if self.odd > 0 {
            let odd = progress::count(self.odd as u64, "more finding");
            say!("{odd} for unusual callers only: --odd-callers shows them");
        }
        if self.incomplete > 0 {
            let functions = progress::count(self.incomplete as u64, "function");
            say!("{functions} not explored completely:");
            let mut reasons: Vec<_> = self.reasons.iter().collect();
            reasons.sort_by_key(|&(_, count)| std::cmp::Reverse(*count));
            let shown = reasons.iter().take(REASONS);
            shown.for_each(|(why, count)| say!("  {count} × {why}"));
            let rest = reasons.len().saturating_sub(REASONS);
            if rest > 0 {
                say!(
                    "  and {} more; check.json has all",
                    progress::count(rest as u64, "reason")
                );
            }
        }
    }
}

/// Reasons that are printed.
const REASONS: usize = 8;

/// A reason without the place in parentheses at its end.
fn general(why: &str) -> String {
    match why.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((what, place)) if place.contains(':') => what.into(),
        _ => why.into(),
    }
}

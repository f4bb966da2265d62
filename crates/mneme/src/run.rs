//! `mneme run`: compile, explore, report.

use crate::cli::{Check, RunArgs, UninitRead};
use crate::writer::Writer;
use crate::{exit, models, replay};
use mneme_engine::{Options, Search, Uninit};
use mneme_program::RuntimeModule;
use mneme_report::{FileCoverage, OutDir, Stage};
use mneme_solver::{BackendChoice, ChainOptions, Interrupt};
use std::collections::BTreeMap;
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
    #[error("the headers for harnesses cannot be written: {0}")]
    Headers(std::io::Error),
    #[error(transparent)]
    Replay(#[from] mneme_replay::ReplayError),
}

pub fn run(args: &RunArgs) -> Result<u8, RunError> {
    if args.list_models {
        models::names().iter().for_each(|name| say!("{name}"));
        return Ok(exit::CLEAN);
    }
    let begin = Instant::now();
    let interrupt = Interrupt::new();
    stop_on_ctrl_c(&interrupt);
    let program = load(args)?;
    let model = models::find(&args.model).expect("clap accepts only known models");
    let chain = ChainOptions {
        backend: match &args.solver {
            Some(command) => BackendChoice::Process(command.clone()),
            None => BackendChoice::Portfolio,
        },
        log_queries: args.log_queries.clone(),
        interrupt: interrupt.clone(),
        ..ChainOptions::default()
    };
    let solver = mneme_solver::chain(&chain)?;
    let out = OutDir::create(args.out.as_deref())?;
    let name = args.files[0].display().to_string();
    let mut writer = Writer::new(out, name.clone(), args.args.clone(), args.program_output);
    writer.beyond_inputs = replay::beyond_inputs(args);
    writer.write_sarif();
    let options = options(args, name, interrupt.clone());
    let stats = (model.explore)(&program, &options, solver, &mut writer)?;

    let complete = stats.exact();
    let mut report = report(args, &stats, begin.elapsed(), &program);
    if args.confirm {
        report.confirmations = Some(replay::confirm(args, &mut writer, &interrupt)?);
    }
    writer.out().write_stats(&report)?;
    writer.out().write_coverage(&coverage(&stats, &program))?;
    if let Some(trouble) = writer.trouble.take() {
        return Err(trouble.into());
    }
    if !args.quiet {
        summary(&stats, &writer);
    }
    Ok(match (writer.findings.is_empty(), complete) {
        (false, _) => exit::FINDINGS,
        (true, true) => exit::CLEAN,
        (true, false) => exit::INCOMPLETE,
    })
}

/// Ctrl-C once: finish cleanly; twice: at once.
fn stop_on_ctrl_c(interrupt: &Interrupt) {
    let interrupt = interrupt.clone();
    let _ = ctrlc::set_handler(move || {
        if interrupt.is_set() {
            std::process::exit(130);
        }
        interrupt.fire();
    });
}

fn load(args: &RunArgs) -> Result<mneme_program::Program, RunError> {
    let headers = tempfile::tempdir().map_err(RunError::Headers)?;
    mneme_runtime::write_headers(headers.path()).map_err(RunError::Headers)?;
    let mut includes = args.compile.includes.clone();
    includes.push(headers.path().to_path_buf());
    let width = if args.compile.target32 { 32 } else { 64 };
    let runtime = mneme_runtime::modules(width);
    let options = mneme_program::Options {
        defines: args.compile.defines.clone(),
        includes,
        target32: args.compile.target32,
        cflags: args
            .compile
            .cflags
            .as_ref()
            .map(|flags| flags.split_whitespace().map(String::from).collect()),
        runtime: runtime
            .iter()
            .map(|module| RuntimeModule {
                name: module.name,
                bitcode: module.bitcode,
            })
            .collect(),
        clang: args.compile.clang.clone(),
        extra_flags: args.compile.clang_flags.clone(),
    };
    Ok(mneme_program::load(&args.files, &options)?)
}

fn options(args: &RunArgs, name: String, interrupt: Interrupt) -> Options {
    let search = Search::ALL
        .iter()
        .find(|(name, _)| *name == args.search)
        .expect("clap accepts only known searches")
        .1;
    Options {
        search,
        seed: args.seed,
        max_time: args.max_time.map(Duration::from_secs_f64),
        max_memory: args.max_memory.map(|mib| mib << 20),
        max_states: args.max_states,
        max_instructions: args.max_instructions,
        max_depth: args.max_depth,
        solver_timeout: Some(Duration::from_secs_f64(args.solver_timeout)),
        max_frames: args.max_stack,
        capacity: args.capacity,
        args: args.args.clone(),
        program_name: name,
        check_overflow: args.check.contains(&Check::Overflow),
        check_leaks: args.check.contains(&Check::Leaks),
        uninit: match args.uninit {
            UninitRead::Any => Uninit::Any,
            UninitRead::Fault => Uninit::Fault,
        },
        malloc_may_fail: args.malloc_may_fail,
        interrupt,
        collect_always: args.collect_always,
    }
}

fn report(
    args: &RunArgs,
    stats: &mneme_engine::Stats,
    wall: Duration,
    program: &mneme_program::Program,
) -> mneme_report::Stats {
    let mut report = mneme_report::Stats {
        model: args.model.clone(),
        exact: stats.exact(),
        ..Default::default()
    };
    report.exact_reasons = inexact(stats);
    report.paths.completed = stats.completed;
    report.paths.faulted = stats.faulted;
    report.paths.stopped = stats.stopped;
    report.paths.stop_reasons = stats.stop_reasons.clone();
    report.paths.excluded = stats.excluded;
    report.exit_values = stats
        .exit_values
        .iter()
        .map(|(&code, &count)| (code as i32, count))
        .collect();
    report.instructions = stats.instructions;
    report.forks = stats.forks;
    report.states.peak = stats.states_peak;
    report.queries.asked = stats.stages.first().map_or(0, |stage| stage.asked);
    report.queries.backend = stats.stages.last().map_or(0, |stage| stage.asked);
    report.queries.stages = stats
        .stages
        .iter()
        .map(|stage| Stage {
            name: stage.stage.into(),
            asked: stage.asked,
            answered: stage.answered,
            time_s: stage.time.as_secs_f64(),
        })
        .collect();
    report.time.wall_s = wall.as_secs_f64();
    report.time.explore_s = stats.explore.as_secs_f64();
    report.time.solver_s = stats.solver.as_secs_f64();
    report.memory.peak_bytes = peak_bytes();
    report.coverage.instructions_covered = stats.covered_instructions;
    report.coverage.instructions_total = program.instructions as u64;
    let mut options = BTreeMap::new();
    options.insert("search".to_string(), args.search.clone());
    options.insert("seed".into(), args.seed.to_string());
    options.insert("capacity".into(), args.capacity.to_string());
    options.insert(
        "solver".into(),
        args.solver.clone().unwrap_or_else(|| "cadical, z3".into()),
    );
    options.insert("defines".into(), args.compile.defines.join(" "));
    if let Some(seconds) = args.max_time {
        options.insert("max-time".into(), seconds.to_string());
    }
    report.options = options;
    report
}

/// What was reached of each source file.
fn coverage(stats: &mneme_engine::Stats, program: &mneme_program::Program) -> String {
    let mut files: BTreeMap<String, FileCoverage> = BTreeMap::new();
    for (&(file, line), &reached) in &stats.lines {
        let file = files.entry(program.files[file as usize].clone()).or_default();
        file.lines.insert(line, reached);
    }
    for (index, function) in program.functions.iter().enumerate() {
        let Some(path) = program.files.get(function.loc.file as usize) else {
            continue;
        };
        if let Some(file) = files.get_mut(path)
            && !function.runtime
            && !function.is_declaration()
        {
            let name = function.source_name.clone().unwrap_or_else(|| function.name.clone());
            file.functions
                .push((name, function.loc.line, stats.entered.contains(&(index as u32))));
        }
    }
    mneme_report::lcov(&files)
}

/// Why the run is less than exact, with counts.
fn inexact(stats: &mneme_engine::Stats) -> BTreeMap<String, u64> {
    let mut reasons: BTreeMap<String, u64> = stats.stop_reasons.clone();
    for (reason, count) in [
        ("a symbolic value had to be one number", stats.concretised),
        ("a symbolic size was given its greatest value", stats.sizes_fixed),
    ] {
        if count > 0 {
            reasons.insert(reason.into(), count);
        }
    }
    reasons
}

fn summary(stats: &mneme_engine::Stats, writer: &Writer) {
    let found = writer.findings.len();
    let state = if stats.exact() {
        "all paths explored".to_string()
    } else {
        let reasons: Vec<String> = inexact(stats)
            .iter()
            .map(|(reason, count)| format!("{reason} ({count})"))
            .collect();
        format!("incomplete because: {}", reasons.join("; "))
    };
    say!(
        "{} paths completed, {} ended in an error, {} stopped; {found} finding{}; {} tests in {}",
        stats.completed,
        stats.faulted,
        stats.stopped,
        if found == 1 { "" } else { "s" },
        writer.tests(),
        writer.out().path().display(),
    );
    say!("{state}");
}

/// The most memory this process has held.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}

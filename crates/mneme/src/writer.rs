//! Writes what the engine reports to the output directory, at once.

use crate::cli::{Format, WhichTests};
use crate::incomplete::Stops;
use crate::resume::{Identity, Saved};
use crate::{ignore, progress};
use mneme_engine::{Cause, Frontier, Future, Halt, Novelty, Observer, TestCase};
use mneme_finding::{Assumption, BaselineState, Confirmation, Finding, Location, Rule, Stats, Way};
use mneme_report as report;
use mneme_report::{Baseline, Detail, FindingRecord, KTest, KTestObject, OutDir, OutputRecord, Style, TestRecord};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a shorter path to a known finding may wait until it is reported.
const SETTLE: Duration = Duration::from_secs(1);

pub struct Writer {
    out: OutDir,
    program: String,
    args: Vec<String>,
    cwd: PathBuf,
    detail: Detail,
    show_output: bool,
    /// The number of the last test.
    tests: u64,
    removed: u64,
    /// Paths whose tests an earlier session wrote after it saved its frontier: they are found again.
    written: BTreeSet<String>,
    /// Tests of paths that an earlier session did not finish, by path.
    outdated: BTreeMap<String, String>,
    /// Which paths get tests, besides those of findings.
    pub which: WhichTests,
    /// How the run was started.
    pub identity: Option<Identity>,
    /// Ends the run when results cannot be written.
    pub halt: Halt,
    pub findings: Vec<Finding>,
    /// How findings are printed.
    pub format: Format,
    /// Have findings changed since they were last written, and when was that?
    unsettled: bool,
    settled: Instant,
    /// Known findings that did not occur yet.
    pub baseline: Option<Baseline>,
    /// Findings that the source says not to report.
    pub ignored: BTreeSet<(Rule, Location)>,
    /// Where paths of this session were given up.
    pub stops: Stops,
    /// The first error in writing.
    pub trouble: Option<report::OutDirError>,
}

impl Writer {
    pub fn new(out: OutDir, program: String, args: Vec<String>, show_output: bool) -> Writer {
        let detail = match tracing::enabled!(tracing::Level::DEBUG) {
            true => Detail::Whole,
            false => Detail::Short,
        };
        let cwd = std::env::current_dir().unwrap_or_default();
        Writer {
            out,
            program,
            args,
            cwd,
            detail,
            show_output,
            tests: 0,
            removed: 0,
            written: BTreeSet::new(),
            outdated: BTreeMap::new(),
            which: WhichTests::All,
            identity: None,
            halt: Halt::new(),
            findings: Vec::new(),
            format: Format::Text,
            unsettled: false,
            settled: Instant::now(),
            baseline: None,
            ignored: BTreeSet::new(),
            stops: Stops::default(),
            trouble: None,
        }
    }

    pub fn out(&self) -> &OutDir {
        &self.out
    }

    /// What places are shown relative to.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    pub fn tests(&self) -> u64 {
        self.tests - self.removed
    }

    /// Findings that are in the baseline.
    pub fn known(&self) -> usize {
        let known = |finding: &&Finding| finding.baseline == Some(BaselineState::Unchanged);
        self.findings.iter().filter(known).count()
    }

    /// The findings of this run as the baseline of the next.
    pub fn next_baseline(&self) -> Baseline {
        let mut next = Baseline::default();
        let identities = self.findings.iter().filter_map(|finding| finding.identity.clone());
        identities.for_each(|identity| next.add(identity));
        next
    }

    fn keep<T>(&mut self, result: Result<T, report::OutDirError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.trouble.get_or_insert(error);
                self.halt.because(Cause::Unwritable);
                None
            }
        }
    }

    /// Takes over the results of an earlier session. Paths that ended after its frontier was saved are found again, and
    /// so are those that ended inside a merging context that was open then.
    pub fn go_on(&mut self) -> Result<(), report::OutDirError> {
        for record in report::read_records(self.out.path()).unwrap_or_default() {
            match (record.path, record.resumable, &record.finding) {
                (Some(path), true, _) => _ = self.outdated.insert(path, record.test),
                (Some(path), false, None) => _ = self.written.insert(path),
                _ => {}
            }
        }
        self.tests = self.out.last_test()?;
        self.findings = self.out.known_findings()?;
        for finding in &mut self.findings {
            let taken = self.baseline.as_mut().zip(finding.identity.as_ref());
            finding.baseline = taken.map(|(baseline, identity)| baseline.take(identity));
        }
        self.write_findings();
        Ok(())
    }

    /// The figures and the coverage, as they are now.
    pub fn figures(&mut self, stats: &Stats, coverage: Option<String>) {
        let written = self.out.write_stats(stats);
        self.keep(written);
        if let Some(coverage) = coverage {
            let written = self.out.write_coverage(&coverage);
            self.keep(written);
        }
    }

    /// A new finding.
    fn first(&mut self, mut finding: Finding, test: &TestCase) {
        if ignore::is_ignored(&finding) {
            self.ignored.insert((finding.rule, finding.location));
            return;
        }
        self.tests += 1;
        finding.test = self.write_test(self.tests, test, End::Finding(&finding));
        let identity = report::identify(&finding, &self.cwd);
        finding.baseline = self.baseline.as_mut().map(|baseline| baseline.take(&identity));
        finding.identity = Some(identity);
        let plain = report::render(&finding, &self.cwd, Style::Plain, self.detail);
        if self.format == Format::Text {
            let shown = report::render(&finding, &self.cwd, Style::Colour, self.detail);
            let _ = progress::aside(|| writeln!(anstream::stdout(), "{shown}"));
        }
        let written = self.out.append_known(&finding);
        self.keep(written);
        let written = self.out.append_finding(&plain);
        self.keep(written);
        self.findings.push(finding);
        self.write_sarif();
    }

    /// A shorter path to a known finding: its test, inputs and path replace the old ones.
    fn shorter(&mut self, mut finding: Finding, test: &TestCase) {
        let Some(index) = self.findings.iter().position(|known| known.is_same_error(&finding)) else {
            return self.first(finding, test);
        };
        let known = &self.findings[index];
        let Some(number) = known.test.as_deref().and_then(report::test_number) else {
            return;
        };
        let moved = known.caller(&known.stack) != finding.caller(&finding.stack);
        let number = match moved {
            true => self.tests + 1,
            false => number,
        };
        self.tests = self.tests.max(number);
        finding.test = self.write_test(number, test, End::Finding(&finding));
        let known = &mut self.findings[index];
        finding.identity = known.identity.take();
        finding.baseline = known.baseline;
        finding.ways = std::mem::take(&mut known.ways);
        if moved {
            let caller = finding.caller(&finding.stack);
            let ways = std::mem::take(&mut finding.ways).into_iter();
            let others: Vec<Way> = ways.filter(|way| finding.caller(&way.stack) != caller).collect();
            let (stack, test) = (std::mem::take(&mut known.stack), known.test.take());
            finding.ways = others.into_iter().chain([Way { stack, test }]).collect();
        }
        *known = finding;
        self.changed(index);
    }

    /// A known finding, reached from another caller.
    fn other_way(&mut self, finding: Finding, test: &TestCase) {
        let Some(index) = self.findings.iter().position(|known| known.is_same_error(&finding)) else {
            return self.first(finding, test);
        };
        self.tests += 1;
        let test = self.write_test(self.tests, test, End::Finding(&finding));
        if let (Some(caller), Some(test), Format::Text) = (finding.caller(&finding.stack), &test, self.format) {
            let (place, caller) = (
                report::spot(&finding.location, &self.cwd),
                report::spot(caller, &self.cwd),
            );
            say!("{} at {place} is also reached from {caller}: {test}\n", finding.rule);
        }
        let stack = finding.stack;
        self.findings[index].ways.push(Way { stack, test });
        self.changed(index);
    }

    /// A known finding has changed; the files that have all of them are rewritten now and then.
    fn changed(&mut self, index: usize) {
        let written = self.out.append_known(&self.findings[index]);
        self.keep(written);
        self.unsettled = true;
        if self.settled.elapsed() >= SETTLE {
            self.settle();
        }
    }

    /// Removes tests, and what is predicted for them.
    pub fn remove(&mut self, tests: &BTreeSet<String>) {
        let removed = self.out.remove_tests(tests);
        self.keep(removed);
        self.removed += tests.len() as u64;
    }

    /// Leaves one prediction for each test.
    pub fn tidy(&mut self) {
        let tidied = self.out.tidy_records();
        self.keep(tidied);
    }

    /// Puts those findings first that assume the least of a caller.
    pub fn rank(&mut self) {
        if !self.findings.is_sorted_by_key(|finding| finding.assumption) {
            self.findings.sort_by_key(|finding| finding.assumption);
            self.unsettled = true;
        }
    }

    /// The findings have changed.
    pub fn outdated(&mut self) {
        self.unsettled = true;
    }

    /// Rewrites the findings if shorter paths were found since.
    pub fn settle(&mut self) {
        if std::mem::take(&mut self.unsettled) {
            self.settled = Instant::now();
            self.write_findings();
        }
    }

    /// Puts the findings in another order.
    pub fn arrange(&mut self, arrange: impl FnOnce(&mut [Finding])) {
        arrange(&mut self.findings);
        self.unsettled = false;
        self.write_findings();
    }

    /// A finding as people read it.
    pub fn rendered(&self, finding: &Finding, style: Style) -> String {
        report::render(finding, &self.cwd, style, self.detail)
    }

    fn write_findings(&mut self) {
        let texts: Vec<String> = self.findings.iter().map(|f| self.rendered(f, Style::Plain)).collect();
        let written = self.out.write_findings(&texts);
        self.keep(written);
        self.write_sarif();
    }

    /// The run as one document.
    pub fn document(&self, stats: &Stats) -> serde_json::Value {
        report::json(&self.findings, stats, &self.cwd)
    }

    fn write_test(&mut self, number: u64, test: &TestCase, end: End) -> Option<String> {
        let path = format!("{:016x}", test.path);
        let objects = test.inputs.iter().map(|(name, bytes)| KTestObject {
            name: name.clone(),
            bytes: bytes.clone(),
        });
        let mut ktest = KTest::new(&self.program);
        ktest.args.extend(self.args.iter().cloned());
        ktest.objects = objects.collect();
        let suffix = match end {
            End::Exit => None,
            End::Finding(finding) => Some(finding.rule.as_str()),
            End::None(..) => Some("unfinished"),
        };
        let written = self.out.write_test(number, &ktest, suffix);
        let name = self.keep(written)?;
        let record = TestRecord {
            test: name.clone(),
            // The part of it that the operating system keeps. A test of a function exits by itself.
            exit_code: test
                .exit_code
                .map(|code| if test.call.is_some() { 0 } else { code as u8 }),
            stdout: printed(test),
            call: test.call.clone(),
            failing_allocations: test.failing_allocations.iter().copied().flatten().collect(),
            beyond_inputs: beyond_inputs(test, end),
            path: Some(path),
            unfinished: match end {
                End::None(reason, _) => Some(reason.to_owned()),
                End::Exit | End::Finding(_) => None,
            },
            resumable: matches!(end, End::None(_, Future::Resumable)),
            finding: match end {
                End::Finding(finding) => Some(FindingRecord::from(finding)),
                End::Exit | End::None(..) => None,
            },
        };
        let written = self.out.append_record(&record);
        self.keep(written);
        Some(name)
    }

    /// Rewrites the findings, with what native runs showed about them.
    pub fn confirmed(&mut self, confirmations: Vec<Confirmation>) {
        for (finding, confirmation) in self.findings.iter_mut().zip(confirmations) {
            finding.confirmation = Some(confirmation);
        }
        self.unsettled = false;
        self.write_findings();
    }

    pub fn write_sarif(&mut self) {
        let log = report::sarif(&self.findings, &self.cwd);
        let written = self.out.write_sarif(&log);
        self.keep(written);
    }
}

/// How the path of a test ends.
#[derive(Copy, Clone)]
enum End<'a> {
    Exit,
    Finding(&'a Finding),
    /// It was left before its end, for this reason.
    None(&'a str, Future),
}

/// What the program writes; a test of a function adds what it finds after the call.
fn printed(test: &TestCase) -> Option<OutputRecord> {
    let output = test.output.as_ref()?;
    let (mut bytes, mut complete) = (output.bytes.clone(), output.complete);
    for line in test
        .call
        .iter()
        .flat_map(|call| &call.prints)
        .filter(|_| output.complete)
    {
        // From what is not known on, anything may follow.
        let known = line.split("??").next().unwrap_or_default();
        if complete {
            bytes.extend(known.bytes());
            complete = known.len() == line.len();
            bytes.extend(complete.then_some(b'\n'));
        }
    }
    Some(OutputRecord::new(&bytes, complete))
}

/// What the path of a test needs but a native run cannot be made to do.
fn beyond_inputs(test: &TestCase, end: End) -> Option<String> {
    let mut needs = Vec::new();
    if let End::Finding(finding) = end
        && finding.assumption == Some(Assumption::Calls)
    {
        needs.push("functions that are not executed have to do certain things".into());
    }
    if !test.uninitialised.is_empty() {
        let memory = test.uninitialised.join(", ");
        needs.push(format!(
            "the path needs certain values in memory that was never written: {memory}"
        ));
    }
    if !test.placed.is_empty() {
        let objects = test.placed.join(", ");
        needs.push(format!("the path needs objects at certain addresses: {objects}"));
    }
    if test.failing_allocations.contains(&None) {
        needs.push("an allocation inside the C library has to fail".into());
    }
    (!needs.is_empty()).then(|| needs.join("; "))
}

/// A writer that the watchdog can take over.
pub struct Shared(Mutex<Writer>);

impl Shared {
    pub fn new(writer: Writer) -> Shared {
        Shared(Mutex::new(writer))
    }

    /// `None`: it is in use.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, Writer>> {
        self.0.try_lock().ok()
    }

    pub fn lock(&self) -> MutexGuard<'_, Writer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for &Shared {
    fn completed(&mut self, test: &TestCase) {
        self.lock().completed(test);
    }

    fn found(&mut self, finding: &Finding, test: &TestCase, novelty: Novelty) {
        self.lock().found(finding, test, novelty);
    }

    fn unfinished(&mut self, test: &TestCase, reason: &str, future: Future) {
        self.lock().unfinished(test, reason, future);
    }

    fn caught_up(&mut self) {
        self.lock().caught_up();
    }

    fn save(&mut self, frontier: &Frontier) {
        self.lock().save(frontier);
    }

    fn stopped(&mut self, reason: &str, place: Option<&Location>) {
        self.lock().stopped(reason, place);
    }

    fn narrowed(&mut self, reason: &str, place: Option<&Location>) {
        self.lock().narrowed(reason, place);
    }

    fn output(&mut self, fd: u64, bytes: &[u8]) {
        self.lock().output(fd, bytes);
    }

    fn printed(&mut self, bytes: &[u8]) {
        self.lock().printed(bytes);
    }
}

impl Observer for Writer {
    fn completed(&mut self, test: &TestCase) {
        let known = self.written.remove(&format!("{:016x}", test.path));
        if !known && self.which.wants(test, true) {
            self.tests += 1;
            self.write_test(self.tests, test, End::Exit);
        }
    }

    fn unfinished(&mut self, test: &TestCase, reason: &str, future: Future) {
        let path = format!("{:016x}", test.path);
        if !self.which.wants(test, false) || self.written.remove(&path) {
            return;
        }
        // The path may have come no further.
        let known = self.outdated.remove(&path);
        let number = known.as_deref().and_then(report::test_number).unwrap_or_else(|| {
            self.tests += 1;
            self.tests
        });
        self.write_test(number, test, End::None(reason, future));
    }

    fn caught_up(&mut self) {
        let outdated: BTreeSet<String> = std::mem::take(&mut self.outdated).into_values().collect();
        if !outdated.is_empty() {
            let removed = self.out.remove_tests(&outdated);
            self.keep(removed);
        }
    }

    fn found(&mut self, finding: &Finding, test: &TestCase, novelty: Novelty) {
        match novelty {
            Novelty::First => self.first(finding.clone(), test),
            Novelty::Shorter => self.shorter(finding.clone(), test),
            Novelty::OtherWay => self.other_way(finding.clone(), test),
        }
    }

    fn save(&mut self, frontier: &Frontier) {
        let Some(identity) = &self.identity else {
            return;
        };
        let text = Saved::text(identity, frontier);
        let written = self.out.write_frontier(&text);
        self.keep(written);
    }

    fn stopped(&mut self, reason: &str, place: Option<&Location>) {
        self.stops.add(reason, place);
        let line = place.map_or(0, |place| place.line);
        tracing::debug!(reason, line, "a path stopped");
    }

    fn narrowed(&mut self, reason: &str, place: Option<&Location>) {
        self.stops.add(reason, place);
    }

    fn printed(&mut self, bytes: &[u8]) {
        let _ = progress::aside(|| std::io::stderr().write_all(bytes));
    }

    fn output(&mut self, fd: u64, bytes: &[u8]) {
        if self.show_output {
            let _ = progress::aside(|| match fd {
                2 => std::io::stderr().write_all(bytes),
                _ => std::io::stdout().write_all(bytes),
            });
        }
    }
}

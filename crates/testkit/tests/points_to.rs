//! The points-to analysis against executions: whatever a pointer refers to in a run of the corpus, the analysis
//! includes it.

use mneme_testkit::{locate_mneme, models, programs, run};
use std::path::Path;

#[test]
fn what_a_pointer_refers_to_is_among_what_the_analysis_says() {
    let mneme = locate_mneme().unwrap_or_else(|error| panic!("{error}"));
    let models = models(&mneme).unwrap_or_else(|error| panic!("{error}"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c");
    let programs = programs(&root, &models).unwrap_or_else(|error| panic!("{error}"));
    let chosen = |name: &str| {
        ["papers/", "pointers/", "library/"]
            .iter()
            .any(|folder| name.starts_with(folder))
    };
    let mut count = 0;
    for program in programs.iter().filter(|program| chosen(&program.name)) {
        let mut command = program.spec.runs()[0].clone();
        command.options.push("--check-points-to".into());
        if !command.options.iter().any(|option| option == "--max-time") {
            command.options.extend(["--max-time".into(), "2".into()]);
        }
        if let Err(error) = run(&mneme, &program.path, &command, "objects") {
            panic!("{}: {error}", program.name);
        }
        count += 1;
    }
    assert!(count > 50, "only {count} programs were found");
}

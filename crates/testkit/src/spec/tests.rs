use super::*;

fn models() -> Vec<String> {
    vec!["objects".to_owned(), "planes-naive".to_owned()]
}

fn parse(source: &str) -> Spec {
    Spec::parse(source, &models()).unwrap()
}

fn refused(source: &str) -> String {
    Spec::parse(source, &models()).unwrap_err().to_string()
}

#[test]
fn without_directives_there_is_one_plain_run_of_every_model_that_finds_nothing() {
    let spec = parse("int main(void) { return 0; }\n");
    assert_eq!(spec.runs(), [Run::default()]);
    assert_eq!(spec.models(1, &models()), models());
    assert_eq!(spec.expected(1, "objects"), Expected::default());
}

#[test]
fn runs_have_options_arguments_and_tags() {
    let spec = parse("// RUN: -DX=1 --search dfs #eager #small -- a 'b c' \"\"\n");
    let run = &spec.runs()[0];
    assert_eq!(run.options, ["-DX=1", "--search", "dfs"]);
    assert_eq!(run.args, ["a", "b c", ""]);
    assert_eq!(run.tags, ["eager", "small"]);
    assert_eq!(run.to_string(), "-DX=1 --search dfs -- a b c ");
}

#[test]
fn quoted_words_are_never_tags() {
    let spec = parse("// RUN: -- '#include'\n");
    assert_eq!(spec.runs()[0].args, ["#include"]);
    assert_eq!(refused("// RUN: #2\n"), "line 1: `2` cannot be a tag");
    assert_eq!(refused("// RUN: -DX='a\n"), "line 1: a quotation mark is not closed");
}

#[test]
fn faults_are_expected_on_their_lines_and_runs() {
    let spec = parse(
        "// RUN:\n// RUN: -DEAGER #eager\n*p = 1; // FAULT: null-dereference, out-of-bounds-write\n\
         x(); // FAULT[eager]: abort\n// FAULT@1[2 objects]: double-free\n",
    );
    let plain = BTreeSet::from([(3, Rule::NullDereference), (3, Rule::OutOfBoundsWrite)]);
    assert_eq!(spec.expected(1, "objects").faults, plain);
    assert_eq!(spec.expected(2, "planes-naive").faults.len(), 3);
    assert_eq!(spec.expected(2, "objects").faults.len(), 4);
    assert!(spec.expected(2, "objects").faults.contains(&(1, Rule::DoubleFree)));
}

#[test]
fn the_exit_code_follows_from_the_rest() {
    assert_eq!(parse("// FAULT: abort").expected(1, "objects").exit, 1);
    assert_eq!(parse("// STOPS: unsupported").expected(1, "objects").exit, 3);
    assert_eq!(parse("// EXACT: false").expected(1, "objects").exit, 3);
    assert_eq!(parse("// EXACT: true").expected(1, "objects").exit, 0);
    assert_eq!(parse("// FAULT: abort // EXIT: 2").expected(1, "objects").exit, 2);
}

#[test]
fn figures_are_bounded() {
    let spec = parse("// PATHS: 11\n// PATHS[objects]: <= 12\n// FAULTED: >=1\n// VALUES: 0*2 -1 255\n");
    let expected = spec.expected(1, "objects");
    assert_eq!(expected.completed.len(), 2);
    assert!(expected.completed.iter().all(|bound| bound.holds(11)));
    assert!(!expected.completed[0].holds(12) && expected.completed[1].holds(12) && !expected.completed[1].holds(13));
    assert!(expected.faulted[0].holds(2) && !expected.faulted[0].holds(0));
    assert_eq!(expected.completed[1].to_string(), "at most 12");
    assert_eq!(
        expected.values,
        Some(BTreeMap::from([(0, Some(2)), (-1, None), (255, None)]))
    );
    assert_eq!(spec.expected(1, "planes-naive").completed.len(), 1);
}

#[test]
fn models_are_restricted_by_file_or_by_run() {
    let spec = parse("// RUN:\n// RUN: -DBIG #big\n// MODELS[big]: objects\n// MODELS: planes-naive objects\n");
    assert_eq!(spec.models(1, &models()), ["planes-naive", "objects"]);
    assert_eq!(spec.models(2, &models()), ["objects"]);
}

#[test]
fn pending_runs_keep_their_expectations() {
    let spec = parse("// PENDING[planes-naive]: too slow\n// PATHS: 1\n");
    assert_eq!(spec.expected(1, "planes-naive").pending.as_deref(), Some("too slow"));
    assert_eq!(spec.expected(1, "planes-naive").completed.len(), 1);
    assert_eq!(spec.expected(1, "objects").pending, None);
}

#[test]
fn mistakes_name_their_line() {
    assert_eq!(refused("\n// FALUT: abort"), "line 2: there is no directive `FALUT`");
    assert_eq!(refused("// FAULT: abrot"), "line 1: there is no rule named `abrot`");
    assert_eq!(
        refused("// FAULT[eagre]: abort"),
        "line 1: `eagre` is neither a run, a tag nor a model"
    );
    assert_eq!(refused("// FAULT@9: abort"), "line 9: the file has no such line");
    assert_eq!(refused("// MODELS: object"), "line 1: there is no model `object`");
    assert_eq!(refused("// PATHS: many"), "line 1: `many` is not a number of paths");
    assert_eq!(refused("// EXACT: yes"), "line 1: `yes` is not `true` or `false`");
    assert_eq!(refused("// VALUES: 0*x"), "line 1: `0*x` is not a list of exit codes");
    assert_eq!(refused("// PENDING:"), "line 1: a reason is missing");
    assert_eq!(
        refused("// FAULT[a: abort"),
        "line 1: `]` is missing in the comment `FAULT`"
    );
}

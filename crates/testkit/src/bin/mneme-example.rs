//! The command line of Mneme with one more model, [`Example`], for tests: what `docs/adding-a-model.md` shows. Nobody
//! installs it.

use mneme::{MODELS, Model};
use mneme_testkit::example::Example;
use std::process::ExitCode;

fn main() -> ExitCode {
    let example = Model::plain::<Example>(
        "example",
        "bytes of each object on their own; one branch for all objects",
    );
    mneme::main(&[MODELS, &[example]].concat())
}

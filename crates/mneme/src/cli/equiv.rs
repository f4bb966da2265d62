//! `mneme equiv`.

use clap::Args;
use std::ffi::OsString;

#[derive(Args, Debug)]
#[command(
    after_help = "Options are those of `mneme run`. Inputs for which the first function itself goes wrong are left out.\n\n\
                  Exit codes: 0 they do the same for all inputs, 1 they differ, 2 usage or input error,\n\
                  3 no difference was found, but not all paths were explored."
)]
pub struct EquivArgs {
    /// The function that is right
    #[arg(value_name = "FUNCTION")]
    pub first: String,
    /// The function that should do the same
    #[arg(value_name = "FUNCTION")]
    pub second: String,
    /// C files, bitcode (.bc) or LLVM assembly (.ll), linked together, and options of `mneme run`
    #[arg(
        value_name = "FILE",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub rest: Vec<OsString>,
}

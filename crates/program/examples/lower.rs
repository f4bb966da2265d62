//! Prints what C files or bitcode are lowered to: `cargo run --example lower -- [-m32] [-q] file.c …`

use mneme_program::{Options, load};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (flags, files): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.starts_with('-'));
    let files: Vec<PathBuf> = files.into_iter().map(PathBuf::from).collect();
    let options = Options {
        target32: flags.iter().any(|f| f == "-m32"),
        ..Options::default()
    };
    match load(&files, &options) {
        Ok(program) if flags.iter().any(|f| f == "-q") => {
            println!(
                "{} functions, {} instructions",
                program.functions.len(),
                program.instructions
            );
            let mut missing: Vec<&String> = program.functions.iter().flat_map(|f| &f.unsupported).collect();
            missing.sort();
            missing.dedup();
            for what in missing {
                println!("unsupported: {what}");
            }
            ExitCode::SUCCESS
        }
        Ok(program) => {
            print!("{program}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

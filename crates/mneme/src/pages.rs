//! `mneme completions` and `mneme man`: what shells and `man` need, from the same definitions as the help.

use crate::cli::{Cli, Shell};
use crate::exit;
use clap::CommandFactory;
use std::io::Write;

/// Prints the completions for a shell.
pub fn completions(shell: Shell) -> u8 {
    let shell = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mneme", &mut script);
    print(&script)
}

/// Prints the manual page of a subcommand, or of `mneme` itself.
pub fn man(subcommand: Option<&str>) -> u8 {
    let mut command = Cli::command();
    command.build();
    if let Some(name) = subcommand {
        let found = command.find_subcommand(name);
        command = found.expect("clap accepts only known subcommands").clone();
    }
    // The manual is complete: it explains what the short help leaves out.
    let command = command.mut_args(|argument| argument.hide_short_help(false));
    let page = clap_mangen::Man::new(command)
        .manual("Mneme")
        .source(concat!("mneme ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    page.render(&mut text).expect("memory takes everything");
    print(&text)
}

fn print(text: &[u8]) -> u8 {
    let _ = std::io::stdout().write_all(text);
    exit::CLEAN
}

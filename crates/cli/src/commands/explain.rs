//! `explain`: what the code of an error message, or of a rule in SARIF, means.

use fencewright_base::Code;
use fencewright_frontend::{LANGUAGES, ltl};
use fencewright_report::RULES;

use crate::args::ExplainArgs;
use crate::{Exit, World};

pub(crate) fn run(args: &ExplainArgs, world: &mut World<'_>) -> Exit {
    let mut codes: Vec<(&str, &Code)> = (LANGUAGES.iter())
        .flat_map(|language| language.codes.iter().map(move |code| (language.name, *code)))
        .chain(RULES.iter().map(|code| ("sarif", *code)))
        .collect();
    codes.extend(ltl::CODES.iter().map(|code| ("ltl", *code)));
    codes.sort_by_key(|(_, code)| code.name);
    let Some(wanted) = &args.code else {
        let lines: String = codes
            .iter()
            .map(|(language, code)| format!("{}  {language:<8}  {}\n", code.name, code.title))
            .collect();
        world.print(&lines);
        return Exit::Proved;
    };
    match codes.iter().find(|(_, code)| code.name.eq_ignore_ascii_case(wanted)) {
        Some((_, Code { name, title, explanation })) => {
            world.print(&format!("{name}: {title}\n\n{}\n", explanation.trim()));
            Exit::Proved
        }
        None => {
            world.complain(&format!("there is no code `{wanted}`; `fencewright explain` lists them all"));
            Exit::BadInput
        }
    }
}

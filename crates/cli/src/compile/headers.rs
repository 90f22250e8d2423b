//! The user's own files that debug information names beside the main one: headers and modules that a trace may quote.

use std::collections::BTreeSet;
use std::path::Path;

use fencewright_base::{FileId, SourceMap};
use fencewright_frontend::source::LARGEST_TEXT;

/// Adds the files to the map under the names that the IR gives them. Those of the system and of libraries are left out, as
/// are those that cannot be read: nothing but a line of a trace is lost with them.
pub(super) fn referenced_files(ir: &str, main: FileId, path: &Path, sources: &mut SourceMap) -> Vec<FileId> {
    let named: BTreeSet<(String, String)> = ir.lines().filter_map(file_in).collect();
    let mut files = Vec::new();
    for (name, folder) in named {
        let place = match Path::new(&folder) {
            folder if folder == Path::new("") => path.parent().unwrap_or(Path::new("")).join(&name),
            folder => folder.join(&name),
        };
        if Path::new(sources.file(main).name()).ends_with(&name) || is_foreign(&place) {
            continue;
        }
        let is_small =
            std::fs::metadata(&place).is_ok_and(|data| data.is_file() && data.len() <= LARGEST_TEXT as u64);
        if is_small && let Ok(text) = std::fs::read_to_string(&place) {
            files.push(sources.add(name, text));
        }
    }
    files
}

/// The name and folder of `!3 = !DIFile(filename: "a.h", directory: "/b", …)`.
fn file_in(line: &str) -> Option<(String, String)> {
    let (_, behind) = line.split_once("!DIFile(filename: \"")?;
    let (name, behind) = behind.split_once('"')?;
    let folder = behind.split_once("directory: \"").and_then(|(_, behind)| behind.split_once('"'));
    let folder = folder.map(|(folder, _)| folder).unwrap_or_default();
    // A name with quotes or backslashes is written with escapes, and nobody has such a header.
    (!name.contains('\\')).then(|| (name.to_owned(), folder.to_owned()))
}

/// Whether it is a file of the system or of a library.
fn is_foreign(place: &Path) -> bool {
    let foreign = ["/usr", "/lib", "/opt", "/rustc", "/Library", "/Applications"];
    foreign.iter().any(|folder| place.starts_with(folder))
        || place.iter().any(|part| matches!(part.to_str(), Some(".rustup" | ".cargo")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_debug_information() {
        let line = "!5 = !DIFile(filename: \"sub/x.h\", directory: \"/some where\", checksumkind: CSK_MD5)";
        assert_eq!(file_in(line), Some(("sub/x.h".to_owned(), "/some where".to_owned())));
        assert_eq!(
            file_in("!3 = !DIFile(filename: \"<anon>\", directory: \"\")").map(|(name, _)| name).as_deref(),
            Some("<anon>")
        );
        assert_eq!(file_in("!3 = !{i32 7}"), None);
        assert!(is_foreign(Path::new("/usr/include/stdio.h")));
        assert!(!is_foreign(Path::new("project/common.h")));
    }
}

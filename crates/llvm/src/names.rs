//! Demangles names to the form that their users write (Itanium C++ ABI, and both manglings of Rust). Arguments are omitted.
//!
//! *Limit:* a name in an unknown form is returned unchanged.

/// The readable form of a function name: `_ZN3std6thread5spawn17h0123456789abcdefE` is `std::thread::spawn`.
pub fn readable(name: &str) -> String {
    for (prefix, what) in [
        ("_ZTV", "the virtual functions of"),
        ("_ZTT", "the virtual functions of"),
        ("_ZTI", "the type information of"),
        ("_ZTS", "the type name of"),
        ("_ZGV", "the guard of"),
    ] {
        if let Some(rest) = name.strip_prefix(prefix) {
            let class = readable(&format!("_Z{rest}"));
            return format!("{what} {}", if class.starts_with("_Z") { "a class" } else { &class });
        }
    }
    if name.starts_with("_R") {
        return rust_path(name).unwrap_or_else(|| name.to_owned());
    }
    let Some(mut rest) = name.strip_prefix("_ZN").or_else(|| name.strip_prefix("_Z")) else {
        return name.to_owned();
    };
    let mut parts: Vec<String> = Vec::new();
    // Qualifiers of a member function, and the mark of internal linkage.
    rest = rest.trim_start_matches(['K', 'V', 'L']);
    if let Some(inner) = rest.strip_prefix("St") {
        parts.push("std".to_owned());
        rest = inner;
    }
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()).filter(|&digits| digits > 0) {
        let Some(length) = rest[..digits].parse::<usize>().ok() else { break };
        let Some(part) = rest.get(digits..digits.saturating_add(length)) else { break };
        rest = &rest[digits + length..];
        let is_hash =
            part.len() == 17 && part.starts_with('h') && part[1..].bytes().all(|b| b.is_ascii_hexdigit());
        if !is_hash {
            parts.push(unescaped(part));
        }
    }
    if parts.is_empty() { name.to_owned() } else { parts.join("::") }
}

/// Why Rust's library panics in a function, in its own words, where the readable name of the function tells.
pub fn panic_reason(path: &str) -> Option<&'static str> {
    if let Some(operation) = path.strip_prefix("core::panicking::panic_const::panic_const_") {
        return Some(match operation {
            "add_overflow" => "attempt to add with overflow",
            "sub_overflow" => "attempt to subtract with overflow",
            "mul_overflow" => "attempt to multiply with overflow",
            "div_overflow" => "attempt to divide with overflow",
            "rem_overflow" => "attempt to calculate the remainder with overflow",
            "neg_overflow" => "attempt to negate with overflow",
            "shl_overflow" => "attempt to shift left with overflow",
            "shr_overflow" => "attempt to shift right with overflow",
            "div_by_zero" => "attempt to divide by zero",
            "rem_by_zero" => "attempt to calculate the remainder with a divisor of zero",
            _ => return None,
        });
    }
    Some(match path {
        "core::panicking::panic_bounds_check" => "index out of bounds",
        "core::option::unwrap_failed" => "`unwrap` finds `None`",
        "core::option::expect_failed" => "`expect` finds `None`",
        "core::result::unwrap_failed" => "`unwrap` or `expect` finds the other variant of a `Result`",
        _ if path.starts_with("core::cell::panic_already_mutably_borrowed") => {
            "the `RefCell` is already mutably borrowed"
        }
        _ if path.starts_with("core::cell::panic_already_borrowed") => "the `RefCell` is already borrowed",
        _ if path.starts_with("core::slice::index::slice_") && path.ends_with("_fail") => {
            "slice index out of range"
        }
        _ => return None,
    })
}

/// A name in Rust's newer mangling, in the form of the older one: without generic arguments, except for `drop_in_place`,
/// because nothing else says what is dropped.
fn rust_path(mangled: &str) -> Option<String> {
    let path = format!("{:#}", rustc_demangle::try_demangle(mangled).ok()?).replace("::<", "<");
    // Closures are numbered.
    let mut named = String::new();
    for (i, part) in path.split("{closure#").enumerate() {
        let rest = if i == 0 { part } else { part.split_once('}').map_or("", |(_, rest)| rest) };
        named.push_str(if i == 0 { "" } else { "{{closure}}" });
        named.push_str(rest);
    }
    if named.ends_with('>') && !named.starts_with("core::ptr::drop_in_place<") {
        named.truncate(start_of_arguments(&named)?);
    }
    Some(named)
}

/// The start of the last pair of angle brackets, which ends the path.
fn start_of_arguments(path: &str) -> Option<usize> {
    let mut open = 0;
    for (i, c) in path.char_indices().rev() {
        let is_arrow = path[..i].ends_with('-');
        match c {
            '>' if !is_arrow => open += 1,
            '<' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(i).filter(|&i| i > 0);
        }
    }
    None
}

/// Rust writes characters that are not allowed in names as `$LT$` and so on.
fn unescaped(part: &str) -> String {
    let part = part.strip_prefix('_').filter(|rest| rest.starts_with('$')).unwrap_or(part);
    let replaced = [
        ("$LT$", "<"),
        ("$GT$", ">"),
        ("$RF$", "&"),
        ("$BP$", "*"),
        ("$LP$", "("),
        ("$RP$", ")"),
        ("$C$", ","),
        ("$u7b$", "{"),
        ("$u7d$", "}"),
        ("$u20$", " "),
        ("$u5b$", "["),
        ("$u5d$", "]"),
        ("$u27$", "'"),
        ("..", "::"),
    ];
    replaced.iter().fold(part.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_become_paths() {
        for (mangled, plain) in [
            ("main", "main"),
            ("_ZN3std6thread5spawn17h91aa04c681d070e9E", "std::thread::spawn"),
            ("_ZN3pet4main28_$u7b$$u7b$closure$u7d$$u7d$17hb0fe3258c06b8aa1E", "pet::main::{{closure}}"),
            ("_ZNSt6thread4joinEv", "std::thread::join"),
            ("_Z4procv", "proc"),
            ("_Z99x", "_Z99x"),
            ("_ZTV5Shape", "the virtual functions of Shape"),
            ("_ZTVZ4mainE3$_0", "the virtual functions of a class"),
            ("_RINvNtCsgEmfK2I1SDS_4core9panicking13assert_failedjjEB4_", "core::panicking::assert_failed"),
            ("_RNvCs1_7___rustc12___rust_alloc", "__rustc::__rust_alloc"),
            // From the specification: a method, a generic function, a closure.
            (
                "_RNvMs0_NtNtNtCsjrHSEGnQ3l9_3std3sys6thread4unixNtB5_6Thread4join",
                "<std::sys::thread::unix::Thread>::join",
            ),
            ("_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of"),
            ("_RNCNvC3pet4main0B3_", "pet::main::{{closure}}"),
            (
                "_RINvNtC4core3ptr13drop_in_placeNtNtC3std6thread6HandleE",
                "core::ptr::drop_in_place<std::thread::Handle>",
            ),
            ("_Rnonsense", "_Rnonsense"),
        ] {
            assert_eq!(readable(mangled), plain);
        }
    }
}

//! Text in columns. Widths count characters; what does not fit is cut with `…` or goes on in the next line.

/// The text cut to at most `width` characters.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The text padded on the right to `width` characters.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

/// The words of the text in lines of at most `width` characters. A longer word has a line of its own.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is always a line");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= width {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Shares `available` characters among columns that want these widths: none gets more than it wants, and those that
/// want more than their share get equal parts of what the others leave.
pub(crate) fn share(wants: &[usize], available: usize) -> Vec<usize> {
    let mut widths = vec![0; wants.len()];
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_by_key(|&i| wants[i]);
    let (mut left, mut columns) = (available, wants.len());
    for i in order {
        widths[i] = wants[i].min(left / columns);
        left -= widths[i];
        columns -= 1;
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_counts_characters_and_says_so() {
        assert_eq!(cut("läuft", 5), "läuft");
        assert_eq!(cut("läuft!", 5), "läuf…");
        assert_eq!(cut("a b c", 3), "a…");
        assert_eq!(cut("abc", 0), "…");
    }

    #[test]
    fn wide_columns_share_what_narrow_ones_leave() {
        assert_eq!(share(&[5, 50, 50], 45), [5, 20, 20]);
        assert_eq!(share(&[5, 10], 100), [5, 10]);
        assert_eq!(share(&[], 10), [0usize; 0]);
    }

    #[test]
    fn wrapping_breaks_at_spaces_only() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensible word", 4), ["incomprehensible", "word"]);
    }
}

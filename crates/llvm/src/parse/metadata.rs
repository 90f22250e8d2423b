//! Parses metadata nodes on demand: `!12 = distinct !DILocation(line: 3, scope: !4)`, `!13 = !{!1, null}`.

use super::cursor::Cursor;
use super::lexer::{Kind, lex, name_of};
use super::toplevel::Module;

/// A metadata node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// `DILocation` and so on; empty for a tuple.
    pub kind: String,
    /// The fields with their names, which are empty in a tuple.
    fields: Vec<(String, MetaValue)>,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum MetaValue {
    Reference(u32),
    Int(i128),
    Text(String),
    /// A name such as `DW_TAG_member`.
    Word(String),
    /// Anything else: an inline node, `null`.
    Other,
}

impl Node {
    fn field(&self, name: &str) -> Option<&MetaValue> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub fn reference(&self, name: &str) -> Option<u32> {
        match self.field(name) {
            Some(MetaValue::Reference(number)) => Some(*number),
            _ => None,
        }
    }

    pub fn int(&self, name: &str) -> Option<i128> {
        match self.field(name) {
            Some(MetaValue::Int(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.field(name) {
            Some(MetaValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn word(&self, name: &str) -> Option<&str> {
        match self.field(name) {
            Some(MetaValue::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// The elements of a tuple.
    pub fn elements(&self) -> impl Iterator<Item = &MetaValue> {
        self.fields.iter().map(|(_, value)| value)
    }
}

impl Module<'_> {
    /// The node with the number, if it exists and can be parsed.
    pub fn node(&self, number: u32) -> Option<Node> {
        let range = self.metadata.get(&number)?.clone();
        let tokens = lex(self.text, range);
        let mut cursor = Cursor::new(self.text, &tokens, 0..tokens.len());
        cursor.eat("distinct");
        let mut node = Node::default();
        if cursor.kind() == Some(Kind::Meta) {
            node.kind = cursor.word()[1..].to_owned();
            cursor.at += 1;
            cursor.expect("(").ok()?;
        } else {
            cursor.expect("!").ok()?;
            cursor.expect("{").ok()?;
        }
        while let Some(token) = cursor.next() {
            let text = token.text(self.text);
            match token.kind {
                Kind::Punct if matches!(text, ")" | "}") => break,
                Kind::Punct => {}
                Kind::Label => {
                    let value = value(&mut cursor);
                    node.fields.push((text.trim_end_matches(':').to_owned(), value));
                }
                _ => {
                    cursor.at -= 1;
                    let value = value(&mut cursor);
                    node.fields.push((String::new(), value));
                }
            }
        }
        Some(node)
    }
}

/// Parses one value.
fn value(cursor: &mut Cursor<'_>) -> MetaValue {
    let reference = cursor.meta_reference();
    let Some(token) = cursor.next() else { return MetaValue::Other };
    let text = token.text(cursor.text);
    let value = match token.kind {
        Kind::Meta => reference.map_or(MetaValue::Other, MetaValue::Reference),
        Kind::Number => text.parse().map_or(MetaValue::Other, MetaValue::Int),
        Kind::Str => MetaValue::Text(name_of(text)),
        Kind::Punct if text == "!" && cursor.kind() == Some(Kind::Str) => {
            let text = name_of(cursor.word());
            cursor.at += 1;
            MetaValue::Text(text)
        }
        Kind::Word if text == "i32" || text == "i64" => return self::value(&mut one(cursor)),
        Kind::Word => MetaValue::Word(text.to_owned()),
        _ => MetaValue::Other,
    };
    if cursor.word() == "(" || (cursor.word() == "{" && text == "!") {
        cursor.skip_group();
    }
    while cursor.word() == "|" {
        cursor.at += 2; // DIFlagPublic | DIFlagStatic
    }
    value
}

/// A cursor over the next token alone; the given cursor moves past it.
fn one<'a>(cursor: &mut Cursor<'a>) -> Cursor<'a> {
    let mut single = cursor.clone();
    cursor.at = (cursor.at + 1).min(cursor.end);
    single.end = cursor.at;
    single
}

//! Fields of a CSV file that a person opens: never a formula, never the end of their field.
//!
//! A spreadsheet carries out what begins with `=`, `+`, `-` or `@`, and names come from organisers' files. Such a field is given an apostrophe in
//! front, which spreadsheets take for "this is text". A plain number stays one.

use std::borrow::Cow;

/// Characters with which a formula begins in spreadsheets.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A field without its quotes: text that no spreadsheet carries out.
#[must_use]
pub fn as_text(field: &str) -> Cow<'_, str> {
    let is_number = field.parse::<f64>().is_ok();
    match field.trim_start_matches(' ').starts_with(FORMULA) && !is_number {
        true => Cow::Owned(format!("'{field}")),
        false => Cow::Borrowed(field),
    }
}

/// A whole line of such fields, with its end. Fields are in quotes where they need them.
#[must_use]
pub fn line<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let field = |field: &'a str| {
        let text = as_text(field);
        match text.contains([',', '"', '\n', '\r', '\'', ';', '\t']) {
            true => quoted(&text),
            false => text.into_owned(),
        }
    };
    let fields: Vec<String> = fields.into_iter().map(field).collect();
    format!("{}\n", fields.join(","))
}

/// The same with every field in quotes.
#[must_use]
pub fn quoted_line<'a>(fields: impl IntoIterator<Item = &'a str>) -> String {
    let fields: Vec<String> = fields.into_iter().map(|field| quoted(&as_text(field))).collect();
    format!("{}\n", fields.join(","))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_becomes_a_formula_or_ends_its_field() {
        assert_eq!(
            line(["=1+1", "-2+3", "@x", " =1", "+a"]),
            "\"'=1+1\",\"'-2+3\",\"'@x\",\"' =1\",\"'+a\"\n"
        );
        assert_eq!(line(["he said \"no\"", "a, b"]), "\"he said \"\"no\"\"\",\"a, b\"\n");
        assert_eq!(quoted_line(["=1", "a"]), "\"'=1\",\"a\"\n");
        assert_eq!(line(["-120", "0.5", "K-6", "1-0", ""]), "-120,0.5,K-6,1-0,\n");
    }
}

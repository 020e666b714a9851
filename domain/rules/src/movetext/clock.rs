//! Clock times in braces: seconds (`118.3`, `118,3`), minutes (`1:58.3`), hours (`0:01:58.3`), and the
//! `[%clk 0:01:58.3]` of some servers.

/// Maximum number of digits before the point: more than a day in seconds, and no overflow.
const WHOLE_DIGITS_MAX: usize = 6;

/// Milliseconds of a clock time; none when the text is something else.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let text = text.trim();
    let text = match text.strip_prefix("[%clk") {
        Some(rest) => rest.strip_suffix(']')?.trim(),
        None => text,
    };
    let text = text.strip_suffix('s').unwrap_or(text);
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, fraction) = match text.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let mut seconds = 0i64;
    let parts: Vec<&str> = whole.split(':').collect();
    if parts.len() > 3 {
        return None;
    }
    for part in parts {
        seconds = seconds * 60 + digits(part, WHOLE_DIGITS_MAX)?;
    }
    Some(sign * (seconds * 1000 + fraction.map_or(Some(0), thousandths)?))
}

fn digits(text: &str, most: usize) -> Option<i64> {
    let fits = !text.is_empty() && text.len() <= most;
    (fits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// The fraction's first three digits; further ones are cut off.
fn thousandths(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let padded: String = text.chars().chain("000".chars()).take(3).collect();
    padded.parse().ok()
}

/// Seconds with one to three decimals, such as `118.3`.
pub(crate) fn format(clock_ms: i64) -> String {
    let sign = if clock_ms < 0 { "-" } else { "" };
    let ms = clock_ms.unsigned_abs();
    let fraction = format!("{:03}", ms % 1000);
    let fraction = match fraction.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    format!("{sign}{}.{fraction}", ms / 1000)
}

#[cfg(test)]
mod tests {
    use super::{format, parse};

    #[test]
    fn seconds_minutes_and_hours_are_read() {
        for (text, ms) in [
            ("118.3", 118_300),
            ("118,35", 118_350),
            ("118", 118_000),
            ("1:58.3", 118_300),
            ("0:01:58", 118_000),
            ("[%clk 0:01:58.3]", 118_300),
            ("118.3s", 118_300),
            ("-0.4", -400),
            ("0.0005", 0),
        ] {
            assert_eq!(parse(text), Some(ms), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_clock_time() {
        for text in ["", ".", "1.", "1:", "-", "C:118.3", "1:2:3:4", "12345678901234567890", "1.5x"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn written_times_read_back() {
        for ms in [0, 1, 10, 100, 118_300, 300_000, -50, -1_000, 86_399_999] {
            assert_eq!(parse(&format(ms)), Some(ms));
        }
        assert_eq!(format(118_300), "118.3");
        assert_eq!(format(120_000), "120.0");
    }
}

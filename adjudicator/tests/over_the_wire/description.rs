//! The description of the API, against which every test holds what it sends and receives.

use std::sync::LazyLock;

use reqwest::{Method, StatusCode};
use serde_json::Value;

/// The description, as the server publishes it.
pub(crate) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../src/http/openapi.json")).expect("a description")
});

/// The operation at an address; none where nothing is described.
fn operation(method: &Method, address: &str) -> Option<&'static Value> {
    let address = address.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = address.split('/').collect();
    let is_of = |path: &&String| {
        let path: Vec<&str> = path.split('/').collect();
        path.len() == parts.len() && path.iter().zip(&parts).all(|(of, part)| fits(of, part))
    };
    // `{name}.pgn` is more exact than `{name}`.
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    let path =
        paths.keys().filter(is_of).max_by_key(|path| path.len() - path.matches('{').count())?;
    Some(&paths[path][method.as_str().to_lowercase()]).filter(|it| it.is_object())
}

/// Whether a part of an address is one of a described path.
fn fits(of: &str, part: &str) -> bool {
    match (of.find('{'), of.find('}')) {
        (Some(from), Some(to)) => {
            let is_around = part.starts_with(&of[..from]) && part.ends_with(&of[to + 1..]);
            is_around && part.len() > of.len() - (to + 1 - from)
        }
        _ => of == part,
    }
}

/// Checks a request and its JSON answer. What was accepted has to be a described request.
pub(crate) fn check(
    method: &Method,
    address: &str,
    sent: Option<&Value>,
    answer: (StatusCode, &Value),
) {
    let (status, value) = answer;
    let Some(operation) = operation(method, address) else { return };
    let at = format!("{method} {address} {status}");
    let described = resolved(&operation["responses"][status.as_str()]);
    let schema = &described["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{at} is not described: {value}");
    assert_eq!(mismatch(value, schema, &at), None);
    let request = &operation["requestBody"]["content"]["application/json"]["schema"];
    if let Some(sent) = sent.filter(|_| status.is_success() && request.is_object()) {
        assert_eq!(mismatch(sent, request, &format!("the request of {at}")), None);
    }
}

/// Follows a reference.
pub(crate) fn resolved(schema: &Value) -> &Value {
    match schema["$ref"].as_str() {
        Some(path) => DOCUMENT.pointer(path.trim_start_matches('#')).expect(path),
        None => schema,
    }
}

/// Says where a value is not what a schema says. Every keyword is understood, or the test fails.
pub(crate) fn mismatch(value: &Value, schema: &Value, at: &str) -> Option<String> {
    let schema = resolved(schema);
    for (keyword, says) in schema.as_object().expect("a schema") {
        let wrong = match keyword.as_str() {
            // What a text must be like, and what fields must be together, is the program's to refuse, and tested there.
            "description" | "default" | "examples" | "pattern" | "not" => None,
            "prefixItems" => {
                let both = value.as_array().into_iter().flatten().zip(says.as_array().unwrap());
                both.into_iter().find_map(|(one, of)| mismatch(one, of, at))
            }
            "additionalProperties" => says
                .is_object()
                .then(|| {
                    let fields = value.as_object().into_iter().flatten();
                    fields
                        .clone()
                        .find_map(|(name, one)| mismatch(one, says, &format!("{at}.{name}")))
                })
                .flatten(),
            "minLength" | "maxLength" => value.as_str().and_then(|text| {
                let (count, limit) = (text.chars().count() as u64, says.as_u64().unwrap());
                let is_short = keyword == "maxLength";
                (count != limit && (count > limit) == is_short).then(|| says.to_string())
            }),
            "format" => {
                let known = ["placement", "square", "boards"].contains(&says.as_str().unwrap());
                (!known).then(|| says.to_string())
            }
            "minItems" | "maxItems" => {
                let (count, limit) = (value.as_array().map(Vec::len), says.as_u64().unwrap());
                let fits = |it: usize| match keyword.as_str() {
                    "minItems" => it as u64 >= limit,
                    _ => it as u64 <= limit,
                };
                count.filter(|&it| !fits(it)).map(|_| says.to_string())
            }
            "type" => {
                let kinds = says.as_array().cloned().unwrap_or_else(|| vec![says.clone()]);
                (!kinds.iter().any(|kind| is_a(value, kind.as_str().unwrap())))
                    .then(|| says.to_string())
            }
            "enum" => (!says.as_array().unwrap().contains(value)).then(|| says.to_string()),
            "minimum" => {
                value.as_f64().filter(|it| *it < says.as_f64().unwrap()).map(|_| says.to_string())
            }
            "maximum" => {
                value.as_f64().filter(|it| *it > says.as_f64().unwrap()).map(|_| says.to_string())
            }
            "required" => says.as_array().unwrap().iter().find_map(|field| {
                value.is_object().then_some(())?;
                value.get(field.as_str().unwrap()).is_none().then(|| format!("{field} is missing"))
            }),
            "properties" => {
                let fields = says.as_object().unwrap();
                let sent = value.as_object().into_iter().flatten();
                let undescribed = sent.map(|(field, _)| field).find(|it| !fields.contains_key(*it));
                undescribed.map(|field| format!("{field} is not described")).or_else(|| {
                    fields.iter().find_map(|(field, of)| {
                        mismatch(value.get(field)?, of, &format!("{at}.{field}"))
                    })
                })
            }
            "items" => value
                .as_array()
                .into_iter()
                .flatten()
                .zip(0..)
                .find_map(|(one, index)| mismatch(one, says, &format!("{at}[{index}]"))),
            "oneOf" | "anyOf" => {
                let all = says.as_array().unwrap();
                let found: Vec<_> = all.iter().filter_map(|one| mismatch(value, one, at)).collect();
                let fitting = all.len() - found.len();
                let is_right = if keyword == "oneOf" { fitting == 1 } else { fitting > 0 };
                (!is_right).then(|| found.join(" and "))
            }
            other => panic!("{at}: the keyword {other} is not known to this test"),
        };
        if let Some(wrong) = wrong {
            return Some(format!("{at}: {keyword}: {wrong}: {value}"));
        }
    }
    None
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("there is no type {other}"),
    }
}

//! JSON that a request brings. To JSON `130.0` is the number 130, as schemas read it; to serde it is no integer.

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{FromRequest, Request, rejection::JsonRejection},
};
use serde::de::DeserializeOwned;
use serde_json::{Number, Value};

use super::Problem;

/// The largest whole number below which a float represents each one.
const EXACT_MAX: f64 = 9_007_199_254_740_991.0;

/// A JSON body in which whole numbers may be written with decimals.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<JsonBody<T>, Problem> {
        let (parts, body) = request.into_parts();
        let body = Bytes::from_request(Request::from_parts(parts.clone(), body), state)
            .await
            .map_err(|error| Problem::new(error.status(), error.body_text()))?;
        let request = Request::from_parts(parts, Body::from(body.clone()));
        let error = match Json::from_request(request, state).await {
            Ok(Json(sent)) => return Ok(JsonBody(sent)),
            Err(error) => error,
        };
        let whole =
            matches!(error, JsonRejection::JsonDataError(_)).then(|| in_whole_numbers(&body));
        match whole.flatten().map(serde_json::from_value) {
            Some(Ok(sent)) => Ok(JsonBody(sent)),
            _ => Err(Problem::new(error.status(), error.body_text())),
        }
    }
}

/// The same JSON with every whole number written without decimals; none if it has no such number.
fn in_whole_numbers(body: &[u8]) -> Option<Value> {
    let mut value = serde_json::from_slice(body).ok()?;
    write_whole(&mut value).then_some(value)
}

/// Writes whole numbers of a value without decimals. True if there was one.
fn write_whole(value: &mut Value) -> bool {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|it| number.is_f64() && it.fract() == 0.0);
            let Some(whole) = whole.filter(|it| it.abs() <= EXACT_MAX) else { return false };
            *number = Number::from(whole as i64);
            true
        }
        // Not `any`: it would stop at the first.
        Value::Array(items) => items.iter_mut().fold(false, |was, it| write_whole(it) | was),
        Value::Object(fields) => fields.values_mut().fold(false, |was, it| write_whole(it) | was),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Sent {
        players: Vec<u32>,
        share: f64,
    }

    async fn read(body: &'static str) -> Result<Sent, Problem> {
        let request = Request::builder().header(header::CONTENT_TYPE, "application/json");
        let request = request.body(Body::from(body)).unwrap();
        JsonBody::from_request(request, &()).await.map(|JsonBody(sent)| sent)
    }

    #[tokio::test]
    async fn a_whole_number_may_be_written_with_decimals() {
        let sent = Sent { players: vec![945, 4573, 0], share: 2.0 };
        assert_eq!(read(r#"{"players":[945.0,4.573e3,-0.0],"share":2.0}"#).await.unwrap(), sent);
        assert_eq!(read(r#"{"players":[945,4573,0],"share":2}"#).await.unwrap(), sent);
        for (wrong, words) in [
            (r#"{"players":[945.5],"share":1}"#, "floating point `945.5`, expected u32"),
            (r#"{"players":[-1.0],"share":1}"#, "floating point `-1.0`, expected u32"),
            (r#"{"players":[1e300],"share":1}"#, "floating point `1e+300`, expected u32"),
            (r#"{"players":[1],"#, "EOF while parsing"),
        ] {
            let refusal = read(wrong).await.unwrap_err();
            assert!(refusal.reason.contains(words), "{refusal:?}");
        }
    }
}

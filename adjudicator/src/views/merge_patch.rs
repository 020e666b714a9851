//! Changes of a JSON value, as a JSON Merge Patch (RFC 7396).

use serde_json::{Map, Value};

/// The patch that makes `after` of `before`; none where they are alike. A member that becomes null is removed.
pub(crate) fn between(before: &Value, after: &Value) -> Option<Value> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return (before != after).then(|| after.clone());
    };
    let changed = new.iter().filter_map(|(name, value)| {
        let change = old.get(name).map_or_else(|| Some(value.clone()), |it| between(it, value));
        Some((name.clone(), change?))
    });
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    let patch: Map<_, _> = changed.chain(gone.map(|name| (name.clone(), Value::Null))).collect();
    (!patch.is_empty()).then_some(Value::Object(patch))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// A value after a patch, by the algorithm of RFC 7396.
    fn patched(value: Value, patch: Value) -> Value {
        let Value::Object(patch) = patch else { return patch };
        let mut members = match value {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        for (name, change) in patch {
            let before = members.remove(&name).unwrap_or_default();
            if !change.is_null() {
                members.insert(name, patched(before, change));
            }
        }
        Value::Object(members)
    }

    /// The same without members that are null, which say that there is none.
    fn without_nulls(value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let there = members.into_iter().filter(|(_, value)| !value.is_null());
                Value::Object(there.map(|(name, value)| (name, without_nulls(value))).collect())
            }
            other => other,
        }
    }

    fn objects() -> impl Strategy<Value = Value> {
        let plain = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..3_u8).prop_map(|number| json!([number])),
        ];
        let members = |value| proptest::collection::btree_map("[ab]", value, 0..3);
        let object = plain.prop_recursive(3, 16, 3, move |inner| {
            members(inner).prop_map(|them| Value::Object(them.into_iter().collect()))
        });
        proptest::collection::btree_map("[ab]", object, 0..3)
            .prop_map(|them| Value::Object(them.into_iter().collect()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn whoever_has_the_one_value_and_the_patch_has_the_other(
            (before, after) in (objects(), objects()),
        ) {
            let patch = between(&before, &after).unwrap_or_else(|| json!({}));
            let found = patched(before.clone(), patch.clone());
            prop_assert_eq!(without_nulls(found), without_nulls(after.clone()), "{}", patch);
            // A client that left out what is null has the same.
            let found = patched(without_nulls(before), patch);
            prop_assert_eq!(without_nulls(found), without_nulls(after));
        }
    }

    #[test]
    fn a_patch_has_what_changed_and_nothing_else() {
        let before = json!({"fen": "x", "clock": {"white_ms": 5, "black_ms": 7}, "result": null});
        let after = json!({"fen": "y", "clock": {"white_ms": 4, "black_ms": 7}, "result": null});
        let patch = json!({"fen": "y", "clock": {"white_ms": 4}});
        assert_eq!(between(&before, &after), Some(patch));
        assert_eq!(between(&after, &after), None);
    }
}

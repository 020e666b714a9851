//! Exit codes, by which the starter knows whether a restart can help.

use adjudicator::config::ConfigError as AdjudicatorConfigError;
use hub::HubError;
use hub::config::ConfigError as HubConfigError;
use hub::journal::JournalError;

/// Any failure.
const FAILURE: u8 = 1;
/// The configuration is wrong until it is corrected (EX_CONFIG of sysexits.h). The units do not start the program again
/// after it.
const CONFIGURATION: u8 = 78;

/// The code for an error.
pub(crate) fn code(error: &anyhow::Error) -> u8 {
    let is_of_hub = |it: &HubConfigError| !it.may_heal();
    let is_of_adjudicator = |it: &AdjudicatorConfigError| !it.may_heal();
    // The journal is another hub's, or another release's: the configuration names the wrong file.
    let is_of_journal = |it: &HubError| {
        let HubError::Journal(problem) = it else { return false };
        matches!(problem, JournalError::OtherHub { .. } | JournalError::OtherLayout { .. })
    };
    let is_wrong = error.chain().any(|cause| {
        cause.downcast_ref().is_some_and(is_of_hub)
            || cause.downcast_ref().is_some_and(is_of_adjudicator)
            || cause.downcast_ref().is_some_and(is_of_journal)
    });
    if is_wrong { CONFIGURATION } else { FAILURE }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use anyhow::Context as _;

    use super::*;

    /// What a configuration with this text ends a hub and an adjudicator with.
    fn codes(text: &str) -> [Option<u8>; 2] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("it.toml");
        std::fs::write(&file, text).unwrap();
        of(&file)
    }

    fn of(file: &Path) -> [Option<u8>; 2] {
        let hub = hub::Config::load(file).context("the hub did not start").err();
        let adjudicator = adjudicator::config::Config::load(file).context("it did not start").err();
        [hub, adjudicator].map(|error| error.as_ref().map(code))
    }

    #[test]
    fn a_wrong_configuration_has_a_code_of_its_own() {
        assert_eq!(codes("[hub"), [Some(CONFIGURATION); 2]);
        assert_eq!(codes("[unknown]\nkey = 1"), [Some(CONFIGURATION); 2]);
        assert_eq!(of(Path::new("/no/such/file.toml")), [Some(CONFIGURATION); 2]);
        let nowhere = codes("[broker]\naddress = \"nonsense\"");
        assert_eq!(nowhere[1], Some(CONFIGURATION));
    }

    #[test]
    fn what_may_heal_by_itself_is_an_ordinary_failure() {
        let unknown = codes("[broker]\naddress = \"not-there-yet.invalid:1883\"");
        assert_eq!(unknown[1], Some(FAILURE));
        let in_use = JournalError::InUse { file: "j.sqlite".into() };
        let error = anyhow::Error::from(HubError::Journal(in_use)).context("the hub stopped");
        assert_eq!(code(&error), FAILURE);
        assert_eq!(code(&anyhow::anyhow!("the port is busy")), FAILURE);
    }

    #[test]
    fn a_journal_of_another_hub_is_a_wrong_configuration() {
        let (found, wanted) = ("hub-2".to_owned(), "hub-1".to_owned());
        let other = JournalError::OtherHub { file: "j.sqlite".into(), found, wanted };
        let error = anyhow::Error::from(HubError::Journal(other)).context("the hub stopped");
        assert_eq!(code(&error), CONFIGURATION);
    }
}

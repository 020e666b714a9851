//! Treatments of findings that directors chose while the event runs, over those of the configuration.

use std::collections::BTreeMap;

use rules::rulebook::Finding;

use super::Hall;
use crate::config::{Td, alerts::Treatment};

/// Choices by section, none for the whole event, and by the code of a finding.
pub(super) type Chosen = BTreeMap<(Option<String>, String), Treatment>;

impl Hall {
    /// A director chooses the treatment of a kind of finding; none: the configuration's again.
    pub(super) fn treat(
        &mut self,
        section: Option<&str>,
        code: &str,
        treatment: Option<Treatment>,
    ) -> Result<(), String> {
        if Finding::from_code(code).is_none() {
            return Err(format!("{code:?} is no kind of finding"));
        }
        if let Some(name) = section {
            self.event.state.section(name).map_err(|refusal| refusal.to_string())?;
        }
        let key = (section.map(str::to_owned), code.to_owned());
        match treatment {
            Some(treatment) => drop(self.event.treatments.insert(key, treatment)),
            None => drop(self.event.treatments.remove(&key)),
        }
        Ok(())
    }

    /// Treatment that was chosen or configured for a section itself, or for the whole event.
    pub(crate) fn own_treatment(
        &self,
        td: &Td,
        section: Option<&str>,
        code: &str,
    ) -> Option<Treatment> {
        let key = (section.map(str::to_owned), code.to_owned());
        self.event.treatments.get(&key).copied().or_else(|| td.treatment(section, code))
    }

    /// Treatment of a kind of finding in a section: its own, or else the event's.
    pub(crate) fn treatment(&self, td: &Td, section: Option<&str>, code: &str) -> Treatment {
        let of_section = section.and_then(|name| self.own_treatment(td, Some(name), code));
        of_section.or_else(|| self.own_treatment(td, None, code)).unwrap_or_default()
    }
}

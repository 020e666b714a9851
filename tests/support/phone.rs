//! A director's phone: Chromium at 360 by 740 pixels, paired by a code and a PIN, with its touches counted.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::path::Path;

use serde_json::json;
use thirtyfour::{By, WebDriver};

use super::{chromium::Driver, patience::eventually};

/// Environment variable with a folder for pictures of the pages, for viewing by hand.
const PICTURES: &str = "TWINBOARD_TEST_PICTURES";

/// Counts the clicks on the page, over all pages that do not reload.
const COUNT: &str = "window.touches = window.touches ?? 0;
    document.addEventListener('click', (event) => { if (event.isTrusted) window.touches += 1; }, true);";

/// A paired phone, at the list.
pub(crate) struct Phone {
    browser: WebDriver,
}

impl Phone {
    pub(crate) async fn let_in(
        driver: &Driver,
        profile: &Path,
        server: &str,
        path: &str,
        pin: &str,
    ) -> Phone {
        let phone = Phone { browser: driver.open(profile).await };
        let size = json!({ "width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true });
        let cdp = phone.browser.cdp();
        cdp.send_raw("Emulation.setDeviceMetricsOverride", size).await.expect("a phone's screen");
        phone.browser.goto(format!("{server}{path}")).await.expect("the page opens");
        eventually("the PIN", async || {
            let field = phone.find("#pin").await?;
            field.send_keys(pin).await.map_err(|error| error.to_string())
        })
        .await;
        phone.press("Pair this device").await;
        phone.see(".td-bar h1", "Who needs me").await;
        phone.browser.execute(COUNT, Vec::new()).await.expect("touches are counted");
        phone
    }

    async fn find(&self, selector: &str) -> Result<thirtyfour::WebElement, String> {
        self.browser.find(By::Css(selector)).await.map_err(|error| error.to_string())
    }

    /// Waits until an element that is found so holds these words.
    pub(crate) async fn see(&self, selector: &str, words: &str) {
        eventually(&format!("{words:?} in {selector}"), async || {
            let found = self.browser.find_all(By::Css(selector)).await;
            let mut seen = Vec::new();
            for element in found.map_err(|error| error.to_string())? {
                // An element that was removed meanwhile is searched again.
                seen.push(element.text().await.map_err(|error| error.to_string())?);
            }
            match seen.iter().any(|text| text.contains(words)) {
                true => Ok(()),
                false => Err(format!("{seen:?}")),
            }
        })
        .await;
    }

    pub(crate) async fn tap(&self, selector: &str) {
        eventually(selector, async || {
            let found = self.find(selector).await?;
            // The driver scrolls to nothing that is in sight, also under a bar.
            found.scroll_into_view().await.map_err(|error| error.to_string())?;
            found.click().await.map_err(|error| error.to_string())
        })
        .await;
    }

    /// Touches the button that begins with these words and is for that.
    pub(crate) async fn press(&self, label: &str) {
        let path = format!("//button[starts-with(normalize-space(.), '{label}')]");
        self.touch(By::XPath(path), label).await;
    }

    /// Follows the link with these words.
    pub(crate) async fn follow(&self, words: &str) {
        self.touch(By::PartialLinkText(words), words).await;
    }

    /// Opens a page by its address.
    pub(crate) async fn go(&self, path: &str) {
        let script = "window.location.assign(arguments[0])";
        self.browser.execute(script, vec![json!(path)]).await.expect("the page opens");
    }

    async fn touch(&self, by: By, what: &str) {
        eventually(what, async || {
            let found = self.browser.find(by.clone()).await.map_err(|error| error.to_string())?;
            // As at [`Self::tap`].
            found.scroll_into_view().await.map_err(|error| error.to_string())?;
            found.click().await.map_err(|error| error.to_string())
        })
        .await;
    }

    /// Chooses an option of a list.
    pub(crate) async fn choose(&self, option: &str) {
        self.tap(option).await;
    }

    /// Replaces the text of a field; repeats it if the page redraws the field between two letters.
    pub(crate) async fn write(&self, field: &str, text: &str) {
        eventually(field, async || {
            let found = self.find(field).await?;
            found.clear().await.map_err(|error| error.to_string())?;
            found.send_keys(text).await.map_err(|error| error.to_string())?;
            let written = found.prop("value").await.map_err(|error| error.to_string())?;
            if written.as_deref() == Some(text) { Ok(()) } else { Err(format!("{written:?}")) }
        })
        .await;
    }

    /// Opens what can be done at the first clock, if it is shut.
    pub(crate) async fn open_clock(&self) {
        self.see(".one-clock summary", "Clock").await;
        if self.find(".one-clock[open]").await.is_err() {
            self.tap(".one-clock summary").await;
        }
    }

    /// Returns the number of touches since the phone was paired.
    pub(crate) async fn touches(&self) -> u64 {
        let count = self.browser.execute("return window.touches", Vec::new()).await;
        count.expect("a count").convert().expect("a number")
    }

    /// Takes a picture, if the folder for pictures is set.
    pub(crate) async fn show(&self, name: &str) {
        let Some(folder) = std::env::var_os(PICTURES) else { return };
        let file = Path::new(&folder).join(format!("{}.png", name.replace(' ', "-")));
        if let Err(error) = self.browser.screenshot(&file).await {
            println!("no picture {}: {error}", file.display());
        }
    }

    /// Takes a picture, and one as on a laptop.
    pub(crate) async fn show_wide(&self, name: &str) {
        self.show(name).await;
        if std::env::var_os(PICTURES).is_none() {
            return;
        }
        let cdp = self.browser.cdp();
        for (width, height, mobile, name) in
            [(390, 844, true, format!("{name}-390")), (1440, 900, false, format!("{name}-1440"))]
        {
            let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
            cdp.send_raw("Emulation.setDeviceMetricsOverride", size).await.expect("another screen");
            self.show(&name).await;
        }
        let size = json!({ "width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true });
        cdp.send_raw("Emulation.setDeviceMetricsOverride", size).await.expect("a phone's screen");
    }

    pub(crate) async fn quit(self) {
        self.browser.quit().await.expect("Chromium stops");
    }
}

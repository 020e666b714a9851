//! The eight bytes that begin every transfer at endpoint 0: USB 2.0, chapter 9.3.

/// Who is asked what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// The whole device.
    Device(Standard),
    /// One of its interfaces.
    Interface(Standard),
    /// One of its endpoints.
    Endpoint(Standard),
    /// The line's settings.
    Line(Line),
    /// Anything else.
    Other,
}

/// What every device is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standard {
    GetStatus,
    ClearFeature,
    SetFeature,
    SetAddress,
    GetDescriptor,
    GetConfiguration,
    SetConfiguration,
    GetInterface,
    SetInterface,
}

/// What a serial port is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    SetCoding,
    GetCoding,
    SetSignals,
}

/// A request with its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    pub(crate) request: Request,
    pub(crate) value: u16,
    pub(crate) index: u16,
    /// Bytes that the computer takes at most, or brings.
    pub(crate) length: u16,
}

impl Setup {
    pub(crate) fn parse(packet: [u8; 8]) -> Self {
        let word = |at: usize| u16::from_le_bytes([packet[at], packet[at + 1]]);
        let to_host = packet[0] & 0x80 != 0;
        let request = match packet[0] & 0x7f {
            0x00 => standard(packet[1], to_host).map_or(Request::Other, Request::Device),
            0x01 => standard(packet[1], to_host).map_or(Request::Other, Request::Interface),
            0x02 => standard(packet[1], to_host).map_or(Request::Other, Request::Endpoint),
            0x21 => line(packet[1], to_host).map_or(Request::Other, Request::Line),
            _ => Request::Other,
        };
        Self { request, value: word(2), index: word(4), length: word(6) }
    }
}

fn standard(number: u8, to_host: bool) -> Option<Standard> {
    match (number, to_host) {
        (0, true) => Some(Standard::GetStatus),
        (1, false) => Some(Standard::ClearFeature),
        (3, false) => Some(Standard::SetFeature),
        (5, false) => Some(Standard::SetAddress),
        (6, true) => Some(Standard::GetDescriptor),
        (8, true) => Some(Standard::GetConfiguration),
        (9, false) => Some(Standard::SetConfiguration),
        (10, true) => Some(Standard::GetInterface),
        (11, false) => Some(Standard::SetInterface),
        _ => None,
    }
}

fn line(number: u8, to_host: bool) -> Option<Line> {
    match (number, to_host) {
        (0x20, false) => Some(Line::SetCoding),
        (0x21, true) => Some(Line::GetCoding),
        (0x22, false) => Some(Line::SetSignals),
        _ => None,
    }
}

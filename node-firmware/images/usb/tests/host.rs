//! A computer on the other side of endpoint 0: it asks what computers ask, in the order in which they do, and what they should not.

use node_usb::{Controller, DATA_ENDPOINT, PACKET_BYTES, Product, SerialDevice};

/// What the device told its controller to do.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Deed {
    Send(Vec<u8>),
    Receive,
    Refuse,
    Address(u8),
    Configure(bool),
    Halt(u8, bool, bool),
}

#[derive(Default)]
struct Deeds(Vec<Deed>);

impl Controller for Deeds {
    fn send(&mut self, packet: &[u8]) {
        self.0.push(Deed::Send(packet.to_vec()));
    }
    fn receive(&mut self) {
        self.0.push(Deed::Receive);
    }
    fn refuse(&mut self) {
        self.0.push(Deed::Refuse);
    }
    fn set_address(&mut self, address: u8) {
        self.0.push(Deed::Address(address));
    }
    fn configure(&mut self, working: bool) {
        self.0.push(Deed::Configure(working));
    }
    fn halt(&mut self, endpoint: u8, sends: bool, halted: bool) {
        self.0.push(Deed::Halt(endpoint, sends, halted));
    }
}

struct Host {
    device: SerialDevice,
    deeds: Deeds,
}

impl Host {
    fn new() -> Host {
        let product = Product { name: "board", number: 0x00c0_ffee };
        let mut host = Host { device: SerialDevice::new(product), deeds: Deeds::default() };
        host.device.reset(&mut host.deeds);
        assert_eq!(host.deeds(), [Deed::Address(0), Deed::Configure(false)]);
        host
    }

    fn configured() -> Host {
        let mut host = Host::new();
        assert_eq!(host.order([0x00, 9, 1, 0, 0, 0, 0, 0]), [Deed::Configure(true)]);
        host
    }

    fn deeds(&mut self) -> Vec<Deed> {
        std::mem::take(&mut self.deeds.0)
    }

    fn setup(&mut self, packet: [u8; 8]) -> Vec<Deed> {
        self.device.setup(packet, &mut self.deeds);
        self.deeds()
    }

    /// Asks for bytes and takes them to the end; none if it is refused.
    fn ask(&mut self, packet: [u8; 8]) -> Option<Vec<u8>> {
        let asked = usize::from(u16::from_le_bytes([packet[6], packet[7]]));
        let mut deeds = self.setup(packet);
        if deeds == [Deed::Refuse] {
            return None;
        }
        assert_eq!(deeds.remove(0), Deed::Receive, "the computer may end it at any time");
        let mut bytes = Vec::new();
        loop {
            let [Deed::Send(piece)] = &deeds[..] else { panic!("{deeds:?}") };
            assert!(piece.len() <= PACKET_BYTES);
            bytes.extend(piece);
            if piece.len() < PACKET_BYTES || bytes.len() == asked {
                break;
            }
            self.device.sent(&mut self.deeds);
            deeds = self.deeds();
        }
        self.device.sent(&mut self.deeds);
        self.device.received(&[], &mut self.deeds);
        assert_eq!(self.deeds(), []);
        Some(bytes)
    }

    /// Gives an order without bytes; what the device did but for saying that it is done.
    fn order(&mut self, packet: [u8; 8]) -> Vec<Deed> {
        let mut deeds = self.setup(packet);
        if deeds.last() == Some(&Deed::Send(vec![])) {
            deeds.pop();
            self.device.sent(&mut self.deeds);
            deeds.extend(self.deeds());
        }
        deeds
    }

    fn name(&mut self, index: u8) -> String {
        let bytes = self.ask([0x80, 6, index, 3, 9, 4, 255, 0]).unwrap();
        assert_eq!(bytes[..2], [bytes.len() as u8, 3]);
        let letters: Vec<u16> =
            bytes[2..].chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        String::from_utf16(&letters).unwrap()
    }
}

#[test]
fn a_computer_finds_a_serial_port_with_its_names_and_gives_it_an_address() {
    let mut host = Host::new();
    // As computers do, the beginning of the device's descriptor first.
    let device = host.ask([0x80, 6, 0, 1, 0, 0, 8, 0]).unwrap();
    assert_eq!(device, [18, 1, 0, 2, 2, 0, 0, PACKET_BYTES as u8]);
    let mut deeds = host.setup([0x00, 5, 17, 0, 0, 0, 0, 0]);
    assert_eq!(deeds, [Deed::Send(vec![])], "the answer still comes from address 0");
    host.device.sent(&mut host.deeds);
    deeds = host.deeds();
    assert_eq!(deeds, [Deed::Address(17)]);
    let device = host.ask([0x80, 6, 0, 1, 0, 0, 18, 0]).unwrap();
    assert_eq!(device.len(), 18);
    assert_eq!(device[8..12], [0xc0, 0x16, 0xdd, 0x27]);
    assert_eq!(device[14..], [1, 2, 3, 1]);
    assert_eq!(host.ask([0x80, 6, 0, 3, 0, 0, 255, 0]).unwrap(), [4, 3, 9, 4]);
    assert_eq!([1, 2, 3].map(|index| host.name(index)), ["Twinboard", "board", "00c0ffee"]);
    assert_eq!(host.order([0x00, 9, 1, 0, 0, 0, 0, 0]), [Deed::Configure(true)]);
    assert_eq!(host.ask([0x80, 8, 0, 0, 0, 0, 1, 0]).unwrap(), [1]);
}

#[test]
fn the_configuration_is_made_of_whole_descriptors_and_names_every_endpoint() {
    let mut host = Host::new();
    let head = host.ask([0x80, 6, 0, 2, 0, 0, 9, 0]).unwrap();
    let length = u16::from_le_bytes([head[2], head[3]]);
    let [low, high] = length.to_le_bytes();
    // More than one packet.
    assert!(usize::from(length) > PACKET_BYTES);
    let whole = host.ask([0x80, 6, 0, 2, 0, 0, low, high]).unwrap();
    assert_eq!(whole.len(), usize::from(length));
    assert_eq!(host.ask([0x80, 6, 0, 2, 0, 0, 255, 0]).unwrap(), whole);
    assert_eq!(host.ask([0x80, 6, 0, 2, 0, 0, 64, 0]).unwrap(), whole[..64]);
    let (mut rest, mut parts) = (&whole[..], Vec::new());
    while let [length, ..] = rest {
        let (part, behind) = rest.split_at(usize::from(*length));
        parts.push(part);
        rest = behind;
    }
    let of_kind = |kind: u8| parts.iter().filter(move |part| part[1] == kind);
    assert_eq!(of_kind(4).count(), usize::from(head[4]), "interfaces");
    assert_eq!(of_kind(4).map(|part| part[5]).collect::<Vec<_>>(), [2, 10], "their classes");
    assert_eq!(of_kind(4).map(|part| usize::from(part[4])).sum::<usize>(), of_kind(5).count());
    let endpoints: Vec<(u8, u8)> = of_kind(5).map(|part| (part[2], part[3])).collect();
    assert_eq!(endpoints, [(0x81, 3), (2, 2), (0x82, 2)]);
    // Header, call management, what it can, and which interfaces belong together.
    assert_eq!(of_kind(0x24).map(|part| part[2]).collect::<Vec<_>>(), [0, 1, 2, 6]);
}

#[test]
fn what_the_computer_sets_of_the_line_is_told_again() {
    let mut host = Host::configured();
    assert_eq!(host.ask([0xa1, 0x21, 0, 0, 0, 0, 7, 0]).unwrap(), [0, 0xc2, 1, 0, 0, 0, 8]);
    let slow = [0x80, 0x25, 0, 0, 0, 0, 8];
    assert_eq!(host.setup([0x21, 0x20, 0, 0, 0, 0, 7, 0]), [Deed::Receive]);
    host.device.received(&slow, &mut host.deeds);
    assert_eq!(host.deeds(), [Deed::Send(vec![])]);
    host.device.sent(&mut host.deeds);
    assert_eq!(host.ask([0xa1, 0x21, 0, 0, 0, 0, 7, 0]).unwrap(), slow);
    assert_eq!(host.order([0x21, 0x22, 3, 0, 0, 0, 0, 0]), []);
    // A line coding that is cut short is none.
    assert_eq!(host.setup([0x21, 0x20, 0, 0, 0, 0, 7, 0]), [Deed::Receive]);
    host.device.received(&slow[..6], &mut host.deeds);
    assert_eq!(host.deeds(), [Deed::Refuse]);
    assert_eq!(host.setup([0x21, 0x20, 0, 0, 0, 0, 8, 0]), [Deed::Refuse]);
    assert_eq!(host.ask([0xa1, 0x21, 0, 0, 0, 0, 7, 0]).unwrap(), slow);
}

#[test]
fn an_endpoint_is_halted_and_begins_anew() {
    let mut host = Host::configured();
    let status = [0x82, 0, 0, 0, 0x82, 0, 2, 0];
    assert_eq!(host.ask(status).unwrap(), [0, 0]);
    let halt = |halted| [Deed::Halt(DATA_ENDPOINT, true, halted)];
    assert_eq!(host.order([0x02, 3, 0, 0, 0x82, 0, 0, 0]), halt(true));
    assert_eq!(host.ask(status).unwrap(), [1, 0]);
    assert_eq!(host.order([0x02, 1, 0, 0, 0x82, 0, 0, 0]), halt(false));
    assert_eq!(host.ask(status).unwrap(), [0, 0]);
    // One that is not halted begins anew too: computers ask for it to be sure.
    let received = [Deed::Halt(DATA_ENDPOINT, false, false)];
    assert_eq!(host.order([0x02, 1, 0, 0, 0x02, 0, 0, 0]), received);
    assert_eq!(host.order([0x02, 3, 0, 0, 0x81, 0, 0, 0]), [Deed::Halt(1, true, true)]);
    // A new configuration halts nothing.
    assert_eq!(host.order([0x00, 9, 1, 0, 0, 0, 0, 0]), [Deed::Configure(true)]);
    assert_eq!(host.ask([0x82, 0, 0, 0, 0x81, 0, 2, 0]).unwrap(), [0, 0]);
    assert_eq!(host.ask([0x82, 0, 0, 0, 0x80, 0, 2, 0]).unwrap(), [0, 0]);
}

#[test]
fn interfaces_exist_once_the_device_is_configured() {
    let mut host = Host::new();
    assert_eq!(host.ask([0x81, 10, 0, 0, 1, 0, 1, 0]), None);
    host = Host::configured();
    assert_eq!(host.ask([0x81, 10, 0, 0, 1, 0, 1, 0]).unwrap(), [0]);
    assert_eq!(host.ask([0x81, 0, 0, 0, 0, 0, 2, 0]).unwrap(), [0, 0]);
    assert_eq!(host.ask([0x81, 10, 0, 0, 2, 0, 1, 0]), None);
    assert_eq!(host.order([0x01, 11, 0, 0, 1, 0, 0, 0]), [Deed::Configure(true)]);
    assert_eq!(host.order([0x01, 11, 1, 0, 1, 0, 0, 0]), [Deed::Refuse]);
    assert_eq!(host.order([0x00, 9, 0, 0, 0, 0, 0, 0]), [Deed::Configure(false)]);
    assert_eq!(host.ask([0x81, 10, 0, 0, 1, 0, 1, 0]), None);
}

#[test]
fn what_the_device_does_not_have_is_refused_and_the_next_request_is_answered() {
    let refused: [[u8; 8]; 10] = [
        [0x80, 6, 0, 6, 0, 0, 10, 0], // a qualifier, which only faster devices have
        [0x80, 6, 1, 2, 0, 0, 9, 0],  // a second configuration
        [0x80, 6, 4, 3, 9, 4, 255, 0], // a fourth name
        [0x00, 9, 2, 0, 0, 0, 0, 0],  // a configuration that is not there
        [0x00, 5, 128, 0, 0, 0, 0, 0], // an address that no device has
        [0x00, 3, 1, 0, 0, 0, 0, 0],  // to wake the computer
        [0x00, 7, 0, 1, 0, 0, 18, 0], // other descriptors
        [0x02, 3, 0, 0, 0x83, 0, 0, 0], // an endpoint that is not there
        [0x21, 0x23, 0, 1, 0, 0, 0, 0], // a break
        [0xc0, 1, 0, 0, 0, 0, 4, 0],  // a maker's own
    ];
    let mut host = Host::configured();
    for packet in refused {
        assert_eq!(host.setup(packet), [Deed::Refuse], "{packet:02x?}");
        assert_eq!(host.ask([0x80, 0, 0, 0, 0, 0, 2, 0]).unwrap(), [0, 0]);
    }
}

#[test]
fn a_new_request_ends_the_one_before_it() {
    let mut host = Host::configured();
    // The computer takes one of two packets and asks for something else.
    assert!(matches!(
        &host.setup([0x80, 6, 0, 2, 0, 0, 67, 0])[..],
        [Deed::Receive, Deed::Send(_)]
    ));
    assert_eq!(host.name(1), "Twinboard");
    // It says that it has enough after the first: nothing comes behind.
    host.setup([0x80, 6, 0, 2, 0, 0, 67, 0]);
    host.device.received(&[], &mut host.deeds);
    host.device.sent(&mut host.deeds);
    assert_eq!(host.deeds(), []);
    // An address whose request was not ended is not taken.
    host.setup([0x00, 5, 9, 0, 0, 0, 0, 0]);
    assert_eq!(host.ask([0x80, 8, 0, 0, 0, 0, 1, 0]).unwrap(), [1]);
    // The bytes of a line coding that was given up are not taken for one.
    host.setup([0x21, 0x20, 0, 0, 0, 0, 7, 0]);
    assert_eq!(host.ask([0x80, 0, 0, 0, 0, 0, 2, 0]).unwrap(), [0, 0]);
    host.device.received(&[1, 2, 3, 4, 5, 6, 7], &mut host.deeds);
    assert_eq!(host.deeds(), []);
    assert_eq!(host.ask([0xa1, 0x21, 0, 0, 0, 0, 7, 0]).unwrap(), [0, 0xc2, 1, 0, 0, 0, 8]);
}

#[test]
fn a_reset_of_the_bus_forgets_everything() {
    let mut host = Host::configured();
    host.setup([0x80, 6, 0, 2, 0, 0, 67, 0]);
    host.device.reset(&mut host.deeds);
    assert_eq!(host.deeds(), [Deed::Address(0), Deed::Configure(false)]);
    host.device.sent(&mut host.deeds);
    assert_eq!(host.deeds(), []);
    assert_eq!(host.ask([0x80, 8, 0, 0, 0, 0, 1, 0]).unwrap(), [0]);
}

#[test]
fn no_request_whatever_makes_it_send_more_than_was_asked() {
    let mut host = Host::configured();
    for request_type in 0..=255 {
        for request in 0..=48 {
            for value in [0, 1, 0x100, 0x200, 0x300, 0x303, 0xffff_u16] {
                for asked in [0, 1, 7, 64, 66, 0xffff_u16] {
                    let ([low, high], [few, many]) = (value.to_le_bytes(), asked.to_le_bytes());
                    let packet = [request_type, request, low, high, 0, 0, few, many];
                    let mut deeds = host.setup(packet);
                    let mut bytes = 0;
                    for _ in 0..3 {
                        for deed in &deeds {
                            if let Deed::Send(piece) = deed {
                                bytes += piece.len();
                            }
                        }
                        host.device.sent(&mut host.deeds);
                        deeds = host.deeds();
                    }
                    assert_eq!(deeds, [], "{packet:02x?}: it comes to an end");
                    assert!(bytes <= usize::from(asked), "{packet:02x?}: {bytes}");
                }
            }
        }
    }
}

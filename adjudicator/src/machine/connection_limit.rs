//! Places for connections: a limit for all, and one for each address.
//!
//! A connection costs an open file even if it asks for nothing. Without bounds one machine that opens a thousand and
//! sends nothing keeps everybody else out, the hubs included.

use std::{
    collections::{HashMap, VecDeque},
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::{Arc, Mutex, PoisonError},
};

/// The connections that have a place.
#[derive(Clone, Debug)]
pub(crate) struct Guests {
    most: usize,
    most_of_one_address: usize,
    /// Number of places that are kept for known addresses.
    reserve: usize,
    known: KnownAddresses,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// The latest addresses from which a device with a kept place connected.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownAddresses(Arc<Mutex<VecDeque<IpAddr>>>);

/// Maximum number of remembered addresses: the devices of a large event's directors.
const KNOWN_ADDRESSES_MAX: usize = 256;

impl KnownAddresses {
    /// Remembers the address of a known device.
    pub(crate) fn note(&self, address: IpAddr) {
        let address = household(address);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&address) {
            return;
        }
        if known.len() >= KNOWN_ADDRESSES_MAX {
            known.pop_front();
        }
        known.push_back(address);
    }

    fn has(&self, address: IpAddr) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&address)
    }
}

/// The place of one connection; free again when dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    guests: Guests,
    address: IpAddr,
}

impl Guests {
    /// Places for `most` connections, of one address `most_of_one_address`; a proxy on this machine is exempt.
    pub(crate) fn new(most: usize, most_of_one_address: usize) -> Guests {
        let (reserve, known, by_address) = (0, KnownAddresses::default(), Arc::default());
        Guests { most, most_of_one_address, reserve, known, by_address }
    }

    /// The same, with a part of the places kept for known addresses.
    pub(crate) fn with_reserve(self, reserve: usize, known: KnownAddresses) -> Guests {
        Guests { reserve, known, ..self }
    }

    /// A place for a connection from `address`; none when the address has too many, or no place is free.
    pub(crate) fn admit(&self, address: IpAddr) -> Option<ConnectionSlot> {
        let address = household(address);
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = by_address.values().sum::<usize>();
        let is_reserved = taken >= self.most.saturating_sub(self.reserve);
        if taken >= self.most || is_reserved && !self.known.has(address) {
            return None;
        }
        let count = by_address.entry(address).or_insert(0);
        if *count >= self.most_of_one_address && !is_this_machine(address) {
            return None;
        }
        *count += 1;
        Some(ConnectionSlot { guests: self.clone(), address })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut by_address = self.guests.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

/// The part of an address that is counted: of IPv6 the network, in which a machine has as many addresses as it likes.
pub(crate) fn household(address: IpAddr) -> IpAddr {
    const NETWORK: u128 = !((1 << 64) - 1);
    match address.to_canonical() {
        IpAddr::V6(address) if address != Ipv6Addr::LOCALHOST => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & NETWORK))
        }
        address => address,
    }
}

/// Whether the address is this machine's own: that of a proxy, which stands for many clients.
pub(crate) fn is_this_machine(address: IpAddr) -> bool {
    address == Ipv4Addr::LOCALHOST || address == Ipv6Addr::LOCALHOST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_takes_its_share_and_all_together_no_more_than_there_is() {
        let guests = Guests::new(6, 2);
        let from = |text: &str| guests.admit(text.parse().unwrap());
        let mut places: Vec<ConnectionSlot> = (0..2).map(|_| from("10.0.0.1").unwrap()).collect();
        assert!(from("10.0.0.1").is_none());
        assert!(from("::ffff:10.0.0.1").is_none(), "the same address in other words");
        places.extend((0..2).map(|host| from(&format!("2001:db8::{host}")).unwrap()));
        assert!(from("2001:db8::77").is_none(), "a machine has a whole network");
        places.extend((0..2).map(|_| from("127.0.0.1").unwrap()));
        assert!(from("127.0.0.1").is_none() && from("10.0.0.2").is_none(), "all are taken");
        places.clear();
        let known = KnownAddresses::default();
        let guests = Guests::new(4, 4).with_reserve(1, known.clone());
        let from = |text: &str| guests.admit(text.parse().unwrap());
        let strangers: Vec<ConnectionSlot> = (0..3).map(|_| from("10.0.0.1").unwrap()).collect();
        assert!(from("10.0.0.2").is_none(), "the last place is for those who are known");
        known.note("10.0.0.3".parse().unwrap());
        let director = from("10.0.0.3").unwrap();
        assert!(from("10.0.0.3").is_none(), "all are taken");
        drop((strangers, director));
        assert!(guests.by_address.lock().unwrap().is_empty());
    }
}

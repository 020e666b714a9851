//! Proves that the firmware and the serial link need no operating system. This library has its own panic handler, which the compiler
//! refuses if a dependency brings in the standard library's.
//!
//!     cargo build --example freestanding --no-default-features --features freestanding
#![no_std]

use node_firmware::{BoardConfig, BoardNode, BoardReading, EventMemory, Identity};
use proto::link::{HostSession, HubTime, NodeId, NodeTime};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// One turn of a node's main loop and of the hub's end, so that all of it is compiled.
pub fn turn(node_id: NodeId, memory: &'static mut [u8], squares: u64) -> usize {
    let (identity, memory) = (Identity::new(node_id, 1), EventMemory::lent(memory));
    let mut node = BoardNode::new(identity, BoardConfig::default(), memory);
    let mut host = HostSession::new(None);
    let mut line = [0; 64];
    let reading = BoardReading { squares, ..BoardReading::default() };
    node.observe(NodeTime::ZERO, reading);
    let mut events = 0;
    let length = node.transmit(&mut line);
    host.receive(HubTime::ZERO, &line[..length], |_| events += 1);
    let length = host.transmit(&mut line);
    node.receive(&line[..length]);
    events
}

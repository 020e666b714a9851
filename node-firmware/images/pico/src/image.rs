//! The parts of an image beside its wiring: its header, with name and version, and its start.

use proto::link::{IMAGE_ADDRESS, IMAGE_HEADER_BYTES, IMAGE_HEADER_OFFSET, ImageHeader};

/// Makes the image of this name: its header, and a start that wires a node of this type and runs it.
#[macro_export]
macro_rules! image {
    ($name:literal, $role:ident, $node:ty, $pico:ident => $wired:expr) => {
        #[unsafe(link_section = ".image_header")]
        #[used]
        static HEADER: [u8; $crate::IMAGE_HEADER_BYTES] = $crate::ImageHeader::bytes(
            if cfg!(pico2) { concat!("pico2-", $name) } else { concat!("pico-", $name) },
            $crate::FIRMWARE_VERSION,
        );

        #[$crate::chip::hal::entry]
        fn main() -> ! {
            let mut pico = $crate::Pico::start($crate::Role::$role);
            let node = place(&mut pico);
            pico.run(node)
        }

        /// Not inlined, so that what it needs of the stack is free again when the main loop runs.
        #[inline(never)]
        fn place($pico: &mut $crate::Pico) -> &'static mut $node {
            $crate::singleton!(: $node = $wired).unwrap()
        }
    };
}

/// Reads the header of the image that runs.
///
/// # Panics
/// If the image was built without [`image!`].
pub(crate) fn header() -> ImageHeader {
    let mut bytes = [0; IMAGE_HEADER_BYTES];
    let start = (IMAGE_ADDRESS + IMAGE_HEADER_OFFSET) as *const u8;
    for (index, byte) in bytes.iter_mut().enumerate() {
        // SAFETY: a part of the image that runs; volatile, because the compiler does not know that it is the header.
        *byte = unsafe { start.add(index).read_volatile() };
    }
    let Some(header) = ImageHeader::read(&bytes) else { panic!() };
    header
}

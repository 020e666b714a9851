//! UF2: the container in which the Pico takes an image when it shows itself as a drive. Blocks of 512 bytes, each with an address
//! and 256 bytes for it.

use std::collections::BTreeMap;

use super::elf::Segment;

const MAGIC: [u32; 2] = [0x0a32_4655, 0x9e5d_5157];
const MAGIC_END: u32 = 0x0ab1_6f30;
const FAMILY_IS_GIVEN: u32 = 0x2000;
/// Family of the Pico's chip.
pub(super) const RP2040: u32 = 0xe48b_ff56;
/// Family of the Pico 2's chip, for its Arm processors.
pub(super) const RP2350: u32 = 0xe48b_ff59;
const PAGE_BYTES: u32 = 256;
const BLOCK_BYTES: usize = 512;

/// The container of segments for flash; gaps, up to whole pages, are zeros.
pub(super) fn container(segments: &[Segment<'_>], family: u32) -> Vec<u8> {
    let mut pages = BTreeMap::<u32, [u8; PAGE_BYTES as usize]>::new();
    for (begin, bytes) in segments {
        for (address, byte) in (*begin..).zip(*bytes) {
            let page = pages.entry(address / PAGE_BYTES).or_insert([0; PAGE_BYTES as usize]);
            page[(address % PAGE_BYTES) as usize] = *byte;
        }
    }
    let count = pages.len() as u32;
    let block = |(number, (page, bytes)): (u32, (&u32, &[u8; PAGE_BYTES as usize]))| {
        let address = page * PAGE_BYTES;
        let header =
            [MAGIC[0], MAGIC[1], FAMILY_IS_GIVEN, address, PAGE_BYTES, number, count, family];
        let mut block: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
        block.extend(bytes);
        block.resize(BLOCK_BYTES - 4, 0);
        block.extend(MAGIC_END.to_le_bytes());
        block
    };
    (0..).zip(&pages).flat_map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(block: &[u8], index: usize) -> u32 {
        u32::from_le_bytes(block[4 * index..4 * index + 4].try_into().unwrap())
    }

    #[test]
    fn every_byte_lies_in_the_block_of_its_page() {
        let image: Vec<u8> = (0..=255).chain(0..10).collect();
        let boot = [7; 256];
        let container = container(&[(0x1000_0000, &boot), (0x1000_0180, &image)], RP2350);
        let blocks: Vec<&[u8]> = container.chunks(BLOCK_BYTES).collect();
        assert_eq!(blocks.len(), 3);
        for (number, block) in (0..).zip(&blocks) {
            assert_eq!(block.len(), BLOCK_BYTES);
            assert_eq!(
                [word(block, 0), word(block, 1), word(block, 127)],
                [MAGIC[0], MAGIC[1], MAGIC_END]
            );
            assert_eq!([word(block, 5), word(block, 6), word(block, 7)], [number, 3, RP2350]);
            assert_eq!([word(block, 3), word(block, 4)], [0x1000_0000 + 256 * number, 256]);
        }
        assert_eq!(blocks[0][32..288], boot);
        assert_eq!(blocks[1][32..288], [&[0; 128][..], &image[..128]].concat());
        assert_eq!(blocks[2][32..288], [&image[128..], &[0; 118][..]].concat());
    }
}

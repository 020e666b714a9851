//! A firmware image as a hub sends it to a node: cut out of the UF2 file that a Pico takes in its boot mode as well.

use proto::link::{
    IMAGE_ADDRESS, IMAGE_HEADER_BYTES, IMAGE_HEADER_OFFSET, ImageChecksum, ImageHeader,
    UPDATE_CHUNK_BYTES, UPDATE_IMAGE_BYTES_MAX, UPDATE_SECTOR_BYTES, UpdateBegin, UpdateChunk,
    UpdateImage,
};
use thiserror::Error;

const BLOCK_BYTES: usize = 512;
const BLOCK_HEADER_BYTES: usize = 32;
const MAGIC: [u32; 2] = [0x0a32_4655, 0x9e5d_5157];
const MAGIC_END: u32 = 0x0ab1_6f30;

/// An image, with its description for a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeImage {
    /// Name and version.
    pub header: ImageHeader,
    bytes: Vec<u8>,
    begin: UpdateBegin,
}

/// Reason why a file has no image for nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// Not UF2, or cut off.
    #[error("block {0} is none of a whole UF2 file: copy the file again")]
    Block(usize),
    /// No bytes for the slot.
    #[error("it has no image for updates over the line: take the file of this release")]
    NoImage,
    /// Larger than the slot.
    #[error("its image is larger than {UPDATE_IMAGE_BYTES_MAX} bytes")]
    TooLarge,
}

impl NodeImage {
    /// The image in the bytes of a UF2 file.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(uf2: &[u8]) -> Result<NodeImage, ImageError> {
        let mut bytes = Vec::new();
        let count = u32::try_from(uf2.len() / BLOCK_BYTES).unwrap_or(u32::MAX);
        if !uf2.len().is_multiple_of(BLOCK_BYTES) {
            return Err(ImageError::Block(uf2.len() / BLOCK_BYTES));
        }
        for (number, block) in uf2.chunks_exact(BLOCK_BYTES).enumerate() {
            let (address, data) =
                block_of(block, number, count).ok_or(ImageError::Block(number))?;
            let Some(offset) = address.checked_sub(IMAGE_ADDRESS) else { continue };
            let end = (offset as usize).saturating_add(data.len());
            if end > UPDATE_IMAGE_BYTES_MAX as usize {
                return Err(ImageError::TooLarge);
            }
            bytes.resize(bytes.len().max(end), 0xff);
            if let Some(place) = bytes.get_mut(offset as usize..end) {
                place.copy_from_slice(data);
            }
        }
        NodeImage::of(bytes).ok_or(ImageError::NoImage)
    }

    /// The image of these bytes, if they have a header.
    pub fn of(bytes: Vec<u8>) -> Option<NodeImage> {
        let start = IMAGE_HEADER_OFFSET as usize;
        let header = bytes.get(start..start + IMAGE_HEADER_BYTES)?.try_into().ok()?;
        let sums = bytes.chunks(UPDATE_SECTOR_BYTES as usize).map(ImageChecksum::of);
        let mut sector_sums = heapless::Vec::new();
        for sum in sums {
            sector_sums.push(sum).ok()?;
        }
        let length = u32::try_from(bytes.len()).ok()?;
        let image = UpdateImage { bytes: length, checksum: ImageChecksum::of(&bytes) };
        let begin = UpdateBegin { image, sector_sums };
        Some(NodeImage { header: ImageHeader::read(header)?, bytes, begin })
    }

    /// The request to accept it.
    pub(super) fn begin(&self) -> UpdateBegin {
        self.begin.clone()
    }

    /// Its name by its contents.
    pub(super) fn id(&self) -> UpdateImage {
        self.begin.image
    }

    /// The chunk at this offset; `None` behind the end.
    pub(super) fn chunk(&self, offset: u32) -> Option<UpdateChunk> {
        let rest = self.bytes.get(offset as usize..).filter(|rest| !rest.is_empty())?;
        let bytes = rest.iter().copied().take(UPDATE_CHUNK_BYTES).collect();
        Some(UpdateChunk { image: self.id(), offset, bytes })
    }

    /// Length in bytes.
    pub(super) fn length(&self) -> u32 {
        self.begin.image.bytes
    }
}

/// Address and data of a block.
fn block_of(block: &[u8], number: usize, count: u32) -> Option<(u32, &[u8])> {
    let word = |index: usize| {
        let bytes = block.get(4 * index..4 * index + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    let is_whole = [word(0)?, word(1)?] == MAGIC
        && word(127)? == MAGIC_END
        && word(5)? as usize == number
        && word(6)? == count;
    let data = block.get(BLOCK_HEADER_BYTES..BLOCK_HEADER_BYTES + word(4)? as usize);
    data.filter(|data| is_whole && data.len() <= 476).zip(word(3)).map(|(data, at)| (at, data))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A UF2 file with a page of the loader and so many pages of an image.
    fn file(pages: u32, header_at: u32) -> Vec<u8> {
        let header = ImageHeader::bytes("pico-clock", "1.2.3");
        let count = pages + 1;
        let block = |number: u32| {
            let address = match number.checked_sub(1) {
                None => 0x1000_0000,
                Some(page) => IMAGE_ADDRESS + 256 * page,
            };
            let head = [MAGIC[0], MAGIC[1], 0x2000, address, 256, number, count, 0xe48b_ff56];
            let mut block: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
            let mut page = vec![number as u8; 256];
            if address == IMAGE_ADDRESS + header_at {
                page[..header.len()].copy_from_slice(&header);
            }
            block.extend(page);
            block.resize(BLOCK_BYTES - 4, 0);
            block.extend(MAGIC_END.to_le_bytes());
            block
        };
        (0..count).flat_map(block).collect()
    }

    #[test]
    fn the_image_is_what_a_file_has_behind_the_loader() {
        let image = NodeImage::read(&file(20, IMAGE_HEADER_OFFSET)).unwrap();
        assert_eq!(image.header.name, "pico-clock");
        assert_eq!((image.length(), image.begin.sector_sums.len()), (20 * 256, 2));
        assert_eq!(image.chunk(256).unwrap().bytes[..], [2; UPDATE_CHUNK_BYTES]);
        assert_eq!(image.chunk(20 * 256), None);
    }

    #[test]
    fn a_file_that_is_cut_off_or_of_an_earlier_release_is_refused() {
        let whole = file(20, IMAGE_HEADER_OFFSET);
        let refusal = |bytes: &[u8]| NodeImage::read(bytes).unwrap_err();
        assert_eq!(refusal(&whole[..whole.len() - 1]), ImageError::Block(20));
        assert_eq!(refusal(&whole[..whole.len() - BLOCK_BYTES]), ImageError::Block(0));
        let mut damaged = whole.clone();
        damaged[3 * BLOCK_BYTES + 1] ^= 1;
        assert_eq!(refusal(&damaged), ImageError::Block(3));
        assert_eq!(refusal(&file(20, 0x300)), ImageError::NoImage);
        assert_eq!(refusal(&file(513, IMAGE_HEADER_OFFSET)), ImageError::TooLarge);
        assert_eq!(refusal(&[]), ImageError::NoImage);
    }
}

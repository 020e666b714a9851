//! The parts of the ELF format that an image's sizes and another container need. 32 bits, little-endian, as all our targets
//! are.

/// Flash of the emulated boards begins at 0, of the RP2040 at 0x1000_0000; memory begins here.
const MEMORY: u32 = 0x2000_0000;
const LOADED: u32 = 1;
const SYMBOLS: u32 = 2;
const ALLOCATED: u32 = 2;

/// An image.
pub(super) struct Elf<'a> {
    bytes: &'a [u8],
}

struct Section {
    kind: u32,
    flags: u32,
    address: u32,
    offset: u32,
    size: u32,
    link: u32,
}

/// Bytes and the address they are loaded to.
pub(super) type Segment<'a> = (u32, &'a [u8]);

impl<'a> Elf<'a> {
    /// Looks at the header.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        match bytes.get(..6) {
            Some([0x7f, b'E', b'L', b'F', 1, 1]) => Ok(Self { bytes }),
            _ => Err("is no 32-bit little-endian ELF file".to_owned()),
        }
    }

    fn word(&self, at: usize) -> u32 {
        let word = self.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        u32::from_le_bytes(word.unwrap_or_default())
    }

    fn half(&self, at: usize) -> usize {
        usize::from((self.word(at) & 0xffff) as u16)
    }

    fn slice(&self, offset: u32, size: u32) -> &'a [u8] {
        let (offset, size) = (offset as usize, size as usize);
        self.bytes.get(offset..offset + size).unwrap_or_default()
    }

    fn sections(&self) -> Vec<Section> {
        let (table, size, count) = (self.word(32) as usize, self.half(46), self.half(48));
        let section = |at: usize| Section {
            kind: self.word(at + 4),
            flags: self.word(at + 8),
            address: self.word(at + 12),
            offset: self.word(at + 16),
            size: self.word(at + 20),
            link: self.word(at + 24),
        };
        (0..count).map(|index| section(table + index * size)).collect()
    }

    /// Segments for flash, in order of address.
    pub(super) fn flash_contents(&self) -> Vec<Segment<'a>> {
        let (table, size, count) = (self.word(28) as usize, self.half(42), self.half(44));
        let headers = (0..count).map(|index| table + index * size);
        let loaded = headers.filter(|&at| self.word(at) == LOADED && self.word(at + 16) > 0);
        let mut segments: Vec<Segment<'_>> = loaded
            .map(|at| (self.word(at + 12), self.slice(self.word(at + 4), self.word(at + 16))))
            .collect();
        segments.sort_by_key(|(address, _)| *address);
        segments
    }

    /// Bytes from the first to the last in flash.
    pub(super) fn flash_bytes(&self) -> u32 {
        let segments = self.flash_contents();
        let end = segments.iter().map(|(address, bytes)| address + bytes.len() as u32).max();
        let begin = segments.iter().map(|(address, _)| *address).min();
        end.unwrap_or(0) - begin.unwrap_or(0)
    }

    /// Bytes of variables in memory.
    pub(super) fn variable_bytes(&self) -> u32 {
        let in_memory =
            |section: &&Section| section.flags & ALLOCATED != 0 && section.address >= MEMORY;
        self.sections().iter().filter(in_memory).map(|section| section.size).sum()
    }

    /// Bytes of memory that are kept for the stack.
    pub(super) fn stack_bytes(&self) -> Option<u32> {
        Some(self.symbol("_stack_start")? - self.symbol("_stack_end")?)
    }

    fn symbol(&self, name: &str) -> Option<u32> {
        let sections = self.sections();
        let table = sections.iter().find(|section| section.kind == SYMBOLS)?;
        let names = sections.get(table.link as usize)?;
        let names = self.slice(names.offset, names.size);
        let entries = (table.offset..table.offset + table.size).step_by(16);
        let is_it = |entry: &u32| {
            let name_at = self.word(*entry as usize) as usize;
            let rest = names.get(name_at..).unwrap_or_default();
            rest.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
        };
        entries.into_iter().find(is_it).map(|entry| self.word(entry as usize + 4))
    }
}

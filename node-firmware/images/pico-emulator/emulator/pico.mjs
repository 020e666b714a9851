// A Raspberry Pi Pico: rp2040js, and what it lacks for our images: a boot ROM that erases and writes the flash, the flash chip's number,
// noise, sleep with interrupts disabled, and a reset, which ends the run.

import { BasePeripheral, RP2040 } from 'rp2040js';

const FLASH = 0x10000000;
const VECTORS = FLASH + 0x100;
const IMAGE_VECTORS = FLASH + 0x20000;
const CYCLE_NS = 8;

const UF2_BLOCK_BYTES = 512;
const UF2_MAGIC = 0x0a324655;

/// Writes the blocks of a UF2 container into the flash.
function load(container, flash) {
  if (container.length === 0 || container.length % UF2_BLOCK_BYTES !== 0) {
    throw new Error('this is no UF2 container: its length is no multiple of 512 bytes');
  }
  for (let at = 0; at < container.length; at += UF2_BLOCK_BYTES) {
    if (container.readUInt32LE(at) !== UF2_MAGIC) throw new Error(`no UF2 block at byte ${at}`);
    const address = container.readUInt32LE(at + 12) - FLASH;
    const length = container.readUInt32LE(at + 16);
    flash.set(container.subarray(at + 32, at + 32 + length), address);
  }
}

const SECTOR_BYTES = 4096;
/// Time that the flash chip takes for a sector or a page.
const ERASE_NS = 45_000_000;
const PROGRAM_NS = 700_000;

/// As much of a boot ROM as the images call: a lookup, and a function for each name. Each stops at a breakpoint of its own number, where
/// `callRom` does its work. In the emulator flash can be read at all times, so there is nothing to switch off and on.
function bootRom() {
  const rom = new DataView(new ArrayBuffer(0x4000));
  const [table, lookup] = [0x40, 0x80];
  rom.setUint16(0x14, table, true);
  rom.setUint16(0x18, lookup | 1, true);
  ROM_FUNCTIONS.forEach((_, number) => {
    rom.setUint16(lookup + 4 * number, 0xbe00 | number, true); // bkpt #number
    rom.setUint16(lookup + 4 * number + 2, 0x4770, true); // bx lr
  });
  return new Uint32Array(rom.buffer);
}

const code = (letters) => letters.charCodeAt(0) | (letters.charCodeAt(1) << 8);
/// The first one is the lookup, the second one does nothing.
const ROM_FUNCTIONS = ['', 'IF', 'RE', 'RP'];

function callRom(chip, number) {
  const registers = chip.core.registers;
  const [first, second, third] = registers;
  switch (ROM_FUNCTIONS[number]) {
    case '': {
      const found = ROM_FUNCTIONS.findIndex((letters) => letters && code(letters) === second);
      registers[0] = (0x80 + 4 * Math.max(found, 1)) | 1;
      break;
    }
    case 'RE':
      chip.flash.fill(0xff, first, first + second);
      chip.clock.tick((second / SECTOR_BYTES) * ERASE_NS);
      break;
    case 'RP':
      for (let at = 0; at < third; at += 1) chip.flash[first + at] &= chip.readUint8(second + at);
      chip.clock.tick(PROGRAM_NS);
      break;
  }
}

/// The flash chip answers "read unique id": four bytes of nothing, then eight of number, the low half as given.
function numberFlash(bus, number) {
  const DATA = 0x60;
  const COMMAND = 0x4b;
  const ANSWER_AT = 5;
  const COMMAND_BYTES = 13;
  const answer = Buffer.alloc(8);
  answer.writeUInt32BE(number, 4);
  let sent = 0;
  const [read, write] = [bus.readUint32.bind(bus), bus.writeUint32.bind(bus)];
  bus.writeUint32 = (offset, value) => {
    if (offset === DATA && (sent > 0 || (value & 0xff) === COMMAND)) {
      sent = sent === COMMAND_BYTES ? 0 : sent + 1;
      if (sent > 0) return;
    }
    write(offset, value);
  };
  bus.readUint32 = (offset) => {
    if (offset !== DATA || sent === 0) return read(offset);
    return answer[sent - 1 - ANSWER_AT] ?? 0;
  };
}

/// The ring oscillator's noise: the same in every run.
class Noise extends BasePeripheral {
  state = 0x2545f491;

  readUint32(offset) {
    if (offset !== 0x1c) return super.readUint32(offset);
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return this.state & 1;
  }
}

export class Pico {
  /// With what a run has saved of the flash, or else with a UF2 container written into it.
  constructor(container, number, flash) {
    this.chip = new RP2040();
    this.clock = this.chip.clock;
    this.chip.logger = {
      debug() {},
      info() {},
      warn() {},
      error: (component, message) => process.stderr.write(`${component}: ${message}\n`),
    };
    this.chip.loadBootrom(bootRom());
    this.chip.onBreak = (number) => callRom(this.chip, number);
    this.wasReset = false;
    const watchdog = this.chip.peripherals[0x40058];
    watchdog.onWatchdogTrigger = () => {
      this.wasReset = true;
      // Its alarm stays at zero, where rp2040js would schedule it for the same moment again and again, without end.
      watchdog.alarm.enable = false;
    };
    if (flash) this.chip.flash.set(flash);
    else load(container, this.chip.flash);
    numberFlash(this.chip.peripherals[0x18000], number);
    this.chip.peripherals[0x40060] = new Noise(this.chip, 'ROSC');
    const { core } = this.chip;
    core.VTOR = VECTORS;
    core.SP = this.chip.readUint32(VECTORS);
    core.PC = this.chip.readUint32(VECTORS + 4) & ~1;
    sleepWithoutInterrupts(core);
    // Nothing is wired: pulled up.
    for (const pin of this.chip.gpio) pin.setInputValue(true);
    this.instructions = 0;
    // The image's stack; the loader's lies above it.
    this.stackEnd = this.chip.readUint32(IMAGE_VECTORS);
    this.lowestStack = this.stackEnd;
  }

  get ns() {
    return this.clock.nanos;
  }

  /// Bytes of the stack that were used at most.
  get stackBytes() {
    return this.stackEnd - this.lowestStack;
  }

  /// Runs until this time, or a reset.
  runUntil(ns) {
    const { core } = this.chip;
    while (this.clock.nanos < ns && !this.wasReset) {
      // An interrupt that was pending before the instruction `wfi` ends the sleep at once. rp2040js looks for new ones only, so that an image
      // whose alarm came between its last look at the time and `wfi` would sleep until its watchdog restarts it.
      if (core.waiting && (core.interruptsUpdated || core.PM) && core.checkForInterrupts()) core.waiting = false;
      if (core.waiting) {
        const rest = ns - this.clock.nanos;
        const alarm = this.clock.nextAlarm === null ? rest : this.clock.nanosToNextAlarm;
        this.clock.tick(Math.min(Math.max(alarm, CYCLE_NS), rest));
      } else {
        this.clock.tick(core.executeInstruction() * CYCLE_NS);
        this.instructions += 1;
        if (core.SP < this.lowestStack) this.lowestStack = core.SP;
      }
    }
  }
}

/// With interrupts disabled a pending one ends the sleep and no handler runs. rp2040js would run the handler.
function sleepWithoutInterrupts(core) {
  const check = core.checkForInterrupts.bind(core);
  core.checkForInterrupts = () => {
    if (!core.PM) return check();
    core.interruptsUpdated = false;
    return (core.pendingInterrupts & core.enabledInterrupts) !== 0;
  };
}

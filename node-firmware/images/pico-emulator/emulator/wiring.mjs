// Circuits at the pins: switches in a matrix, switches on shift registers, sensors behind multiplexers.

import { GPIOPinState } from 'rp2040js';

const isLow = (pin) => pin.value === GPIOPinState.Low;

/// Switches with diodes: a closed one ties its column to its row while that is driven low. Numbers count along the rows.
export class Matrix {
  constructor(chip, rows, columns) {
    this.closed = new Set();
    this.rows = rows.map((gpio) => chip.gpio[gpio]);
    this.columns = columns.map((gpio) => chip.gpio[gpio]);
    for (const row of this.rows) row.addListener(() => this.settle());
  }

  set(number, closed) {
    this.closed[closed ? 'add' : 'delete'](number);
    this.settle();
  }

  settle() {
    const driven = this.rows.map(isLow);
    this.columns.forEach((column, index) => {
      const low = driven.some((on, row) => on && this.closed.has(row * this.columns.length + index));
      column.setInputValue(!low);
    });
  }
}

/// 74HC165 in a chain: low load takes the inputs, of which the last of the first chip comes first; each rising clock brings the next.
export class Chain {
  constructor(chip, load, clock, data, chips) {
    this.closed = new Set();
    this.chips = chips;
    this.load = chip.gpio[load];
    this.data = chip.gpio[data];
    this.bits = [];
    this.load.addListener(() => isLow(this.load) && this.take());
    chip.gpio[clock].addListener((value) => value === GPIOPinState.High && this.shift());
  }

  set(number, closed) {
    this.closed[closed ? 'add' : 'delete'](number);
  }

  take() {
    this.bits = [];
    for (let row = 0; row < this.chips; row += 1) {
      for (let input = 7; input >= 0; input -= 1) this.bits.push(this.closed.has(8 * row + input));
    }
    this.data.setInputValue(!this.bits[0]);
  }

  shift() {
    if (isLow(this.load)) return;
    this.bits.shift();
    this.data.setInputValue(!(this.bits[0] ?? false));
  }
}

/// 74HC4067 with joined outputs at the converter: what the one that is enabled passes on, half the range while none is.
export class Multiplexers {
  constructor(chip, select, enable, rest) {
    this.levels = new Map();
    const [selects, enables] = [select, enable].map((gpios) => gpios.map((gpio) => chip.gpio[gpio]));
    chip.adc.onADCRead = () => {
      const channel = selects.reduce((sum, pin, bit) => sum | (isLow(pin) ? 0 : 1 << bit), 0);
      const on = enables.findIndex(isLow);
      const level = on < 0 ? undefined : this.levels.get(16 * on + channel);
      this.level = level ?? rest;
      this.sampled ??= chip.clock.createAlarm(() => chip.adc.completeADCRead(this.level, false));
      this.sampled.schedule(chip.adc.sampleTime * 1_000);
    };
  }

  set(number, level) {
    this.levels.set(number, level);
  }
}

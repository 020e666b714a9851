// Runs an image after a script and prints the results. Usage: node run.mjs IMAGE.uf2 < SCRIPT
//
// The script, one thing a line, times in microseconds since the start:
//   number N                        the flash chip's number
//   flash FILE                      the flash as a run has saved it, in place of the image
//   save FILE                       save the flash at the end
//   matrix ROWS / COLUMNS           wiring, as lists of GPIO numbers
//   chain LOAD CLOCK DATA CHIPS
//   multiplexers SELECT / ENABLE    with 2048 at every sensor
//   display ADDRESS                 something on the two-wire bus that takes every byte
//   stuck                           the two-wire bus is held low: no transfer on it ends
//   ground GPIO                     a strap
//   watch GPIO                      tell when this pin changes
//   T set N VALUE                   switch or sensor N: 1 = closed, 0 = open; for a sensor its level
//   T pin GPIO 0|1                  what is wired to this pin directly
//   T bytes HEX                     to the node, over USB or the UART
//   T end
//
// Told, one thing a line, times in nanoseconds: `T usb SETUP ANSWER ADDRESS`, `T bytes HEX`, `T pin GPIO low|high|released`,
// `T i2c ADDRESS HEX`, and at last
// `T end STACK`, the stack's bytes that were used at most, or `T reset STACK` when the node has restarted itself. Only the script's end ends a run, however long that takes.

import { readFileSync, writeFileSync } from 'node:fs';

import { GPIOPinState } from 'rp2040js';

import { Pico } from './pico.mjs';
import { UsbHost } from './usb_host.mjs';
import { Chain, Matrix, Multiplexers } from './wiring.mjs';

const SERIAL_STRAP = 26;
const REST = 2048;
/// Loader and both images.
const SAVED_BYTES = 0x61000;
const LEVELS = new Map([[GPIOPinState.Low, 'low'], [GPIOPinState.High, 'high']]);

const numbers = (words) => words.map(Number);
const hex = (bytes) => Buffer.from(bytes).toString('hex');

const script = readFileSync(0, 'utf8')
  .split('\n')
  .map((line) => line.trim().split(/\s+/))
  .filter(([first]) => first);
const number = Number(script.find(([what]) => what === 'number')?.[1] ?? 0);
const file = (what) => script.find(([first]) => first === what)?.[1];
const flash = file('flash') && readFileSync(file('flash'));
const pico = new Pico(readFileSync(process.argv[2]), number, flash);
const tell = (...words) => process.stdout.write(`${Math.round(pico.ns)} ${words.join(' ')}\n`);

const bus = pico.chip.i2c[0];
let [display, address, written] = [null, null, []];
let stuck = false;
bus.onConnect = (to) => {
  [address, written] = [to, []];
  if (!stuck) bus.completeConnect(to === display);
};
bus.onWriteByte = (byte) => {
  written.push(byte);
  bus.completeWrite(true);
};
bus.onStop = () => {
  if (address === display && written.length > 0) tell('i2c', address, hex(written));
  bus.completeStop();
};

let wiring = null;
let serial = false;
for (const [what, ...words] of script) {
  const lists = words.join(' ').split('/').map((list) => numbers(list.trim().split(/\s+/)));
  if (what === 'matrix') wiring = new Matrix(pico.chip, ...lists);
  if (what === 'chain') wiring = new Chain(pico.chip, ...numbers(words));
  if (what === 'multiplexers') wiring = new Multiplexers(pico.chip, ...lists, REST);
  if (what === 'display') display = Number(words[0]);
  if (what === 'stuck') stuck = true;
  if (what === 'ground') {
    pico.chip.gpio[Number(words[0])].setInputValue(false);
    serial ||= Number(words[0]) === SERIAL_STRAP;
  }
  if (what === 'watch') {
    const gpio = Number(words[0]);
    pico.chip.gpio[gpio].addListener((value) => tell('pin', gpio, LEVELS.get(value) ?? 'released'));
  }
}

const heard = (bytes) => tell('bytes', hex(bytes));
let send;
if (serial) {
  const uart = pico.chip.uart[0];
  uart.onByte = (byte) => heard([byte]);
  send = (bytes) => bytes.forEach((byte) => uart.feedByte(byte));
} else {
  const told = (setup, answer, address) => tell('usb', hex(setup), hex(answer) || '-', address);
  const host = new UsbHost(pico.chip.usbCtrl, pico.clock, told, heard);
  send = (bytes) => host.send(bytes);
}

for (const [at, what, ...words] of script.filter(([first]) => /^\d+$/.test(first))) {
  pico.runUntil(Number(at) * 1_000);
  if (pico.wasReset) break;
  if (what === 'set') wiring.set(Number(words[0]), Number(words[1]));
  if (what === 'pin') pico.chip.gpio[Number(words[0])].setInputValue(words[1] === '1');
  if (what === 'bytes') send(Buffer.from(words[0], 'hex'));
  if (what === 'end') break;
}
if (file('save')) writeFileSync(file('save'), pico.chip.flash.subarray(0, SAVED_BYTES));
tell(pico.wasReset ? 'reset' : 'end', pico.stackBytes);

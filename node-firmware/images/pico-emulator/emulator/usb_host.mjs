// The computer at the Pico's USB socket: resets the bus, asks everything a computer asks, opens the port, and then carries bytes.
//
// rp2040js has a host too, but it ends no transfer as a computer does and floods the device with empty packets.

const FRAME_NS = 1_000_000;
/// Time for which a computer holds the bus in reset. Behind a busy hub a chip of the first revisions needs help afterwards (erratum
/// RP2040-E5). The image helps it: it waits for the end of the reset, seen as the line's state J.
const RESET_NS = 20_000_000;
const LINE_STATE = 0b11 << 2;
const LINE_STATE_J = 0b01 << 2;
const PACKET_BYTES = 64;
const ADDRESS = 5;
const CONFIGURATION = 2;
const ENDPOINT = 5;
const BULK = 2;

const ask = (type, request, value, length) => ({ setup: [type, request, value, length] });
const order = (type, request, value, data = []) => ({ setup: [type, request, value, data.length], data });
const LINE_CODING = [0x00, 0xc2, 0x01, 0x00, 0, 0, 8];

const ENUMERATION = [
  ask(0x80, 6, 0x0100, 8),
  order(0x00, 5, ADDRESS),
  ask(0x80, 6, 0x0100, 18),
  ask(0x80, 6, 0x0200, 9),
  ask(0x80, 6, 0x0200, 255),
  ask(0x80, 6, 0x0300, 255),
  ask(0x80, 6, 0x0301, 255),
  ask(0x80, 6, 0x0302, 255),
  ask(0x80, 6, 0x0303, 255),
  order(0x00, 9, 1),
  order(0x21, 0x20, 0, LINE_CODING),
  ask(0xa1, 0x21, 0, 7),
  order(0x21, 0x22, 3),
];

/// Numbers of the endpoints that carry the port's bytes, from and to the device, as its configuration names them.
function dataEndpoints(configuration) {
  const found = {};
  for (let at = 0; at < configuration.length; at += configuration[at]) {
    if (!(configuration[at] >= 2)) throw new Error(`a descriptor of ${configuration[at]} bytes`);
    if (configuration[at + 1] !== ENDPOINT || configuration[at + 3] !== BULK) continue;
    const address = configuration[at + 2];
    found[address & 0x80 ? 'from' : 'to'] = address & 0xf;
  }
  if (!found.from || !found.to) throw new Error('the device has no endpoints for bytes');
  return found;
}

export class UsbHost {
  /// `told` gets each transfer's packet and answer, `heard` the bytes of the port.
  constructor(controller, clock, told, heard) {
    Object.assign(this, { controller, told, heard });
    this.rest = [...ENUMERATION];
    this.transfer = null;
    this.answer = [];
    this.outgoing = [];
    this.armed = new Set();
    this.endpoints = {};
    this.next = clock.createAlarm(() => this.begin());
    this.resetEnd = clock.createAlarm(() => {
      controller.sieStatus = (controller.sieStatus & ~LINE_STATE) | LINE_STATE_J;
    });
    controller.onUSBEnabled = () => {
      this.rest = [...ENUMERATION];
      this.armed.clear();
      controller.sieStatus &= ~LINE_STATE;
      controller.resetDevice();
      this.resetEnd.schedule(RESET_NS);
    };
    controller.onResetReceived = () => this.next.schedule(FRAME_NS);
    controller.onEndpointWrite = (endpoint, packet) => this.took(endpoint, packet);
    controller.onEndpointRead = (endpoint) => this.wants(endpoint);
  }

  send(bytes) {
    this.outgoing.push(...bytes);
    if (this.armed.has(this.endpoints.to)) this.wants(this.endpoints.to);
  }

  begin() {
    this.transfer = this.rest.shift();
    if (!this.transfer) return;
    const [type, request, value, length] = this.transfer.setup;
    const index = (value & 0xff00) === 0x0300 && value !== 0x0300 ? 0x0409 : 0;
    const words = [value, index, length].flatMap((word) => [word & 0xff, word >> 8]);
    this.packet = Uint8Array.from([type, request, ...words]);
    this.answer = [];
    this.armed.delete(0);
    this.controller.sendSetupPacket(this.packet);
  }

  end() {
    const [type, request, value, length] = this.transfer.setup;
    if (type === 0x80 && request === 6 && value >> 8 === CONFIGURATION && length > this.answer[0]) {
      this.endpoints = dataEndpoints(this.answer);
    }
    this.told(this.packet, this.answer, this.controller.addrEndp);
    this.transfer = null;
    this.next.schedule(FRAME_NS);
  }

  /// The device has sent a packet.
  took(endpoint, packet) {
    if (endpoint === this.endpoints.from) return this.heard(packet);
    if (endpoint !== 0 || !this.transfer) return;
    const [type, , , length] = this.transfer.setup;
    if (!(type & 0x80)) {
      // The device has finished. Its completion is signalled in the next frame, after the device has seen the acknowledgement.
      return this.endSoon();
    }
    this.answer.push(...packet);
    if (packet.length < PACKET_BYTES || this.answer.length >= length) {
      if (!this.armed.has(0)) throw new Error('the device does not take the end of a transfer');
      this.armed.delete(0);
      this.controller.endpointReadDone(0, new Uint8Array(0));
      this.endSoon();
    }
  }

  endSoon() {
    this.last ??= this.controller.rp2040.clock.createAlarm(() => this.end());
    this.last.schedule(FRAME_NS);
  }

  /// The device is ready to take a packet.
  wants(endpoint) {
    this.armed.add(endpoint);
    if (endpoint === 0 && this.transfer?.data?.length) {
      this.armed.delete(0);
      this.controller.endpointReadDone(0, Uint8Array.from(this.transfer.data));
    } else if (endpoint === this.endpoints.to && this.outgoing.length > 0) {
      this.armed.delete(endpoint);
      const packet = this.outgoing.splice(0, PACKET_BYTES);
      this.controller.endpointReadDone(endpoint, Uint8Array.from(packet));
    }
  }
}

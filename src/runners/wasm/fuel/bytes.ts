export class ModuleError extends Error {}

/** Reads the binary format (WebAssembly 2.0, section 5). Throws a ModuleError at the end of the bytes. */
export class ByteReader {
  readonly bytes: Uint8Array
  readonly end: number
  at: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  get isDone(): boolean {
    return this.at >= this.end
  }

  byte(): number {
    const value = this.at < this.end ? this.bytes[this.at] : undefined
    if (value === undefined) throw new ModuleError('The module ends too early')
    this.at += 1
    return value
  }

  skip(count: number): void {
    if (count > this.end - this.at) throw new ModuleError('The module ends too early')
    this.at += count
  }

  u32(): number {
    let result = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte()
      result += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return result
    }
    throw new ModuleError('The module holds a number that is too long')
  }

  skipNumber(): void {
    for (let length = 0; length < 10; length++) if (this.byte() < 0x80) return
    throw new ModuleError('The module holds a number that is too long')
  }

  name(): string {
    const length = this.u32()
    const start = this.at
    this.skip(length)
    return new TextDecoder().decode(this.bytes.subarray(start, this.at))
  }

  part(length: number): ByteReader {
    const start = this.at
    this.skip(length)
    return new ByteReader(this.bytes, start, this.at)
  }

  fork(): ByteReader {
    return new ByteReader(this.bytes, this.at, this.end)
  }

  rest(): Uint8Array {
    return this.bytes.subarray(this.at, this.end)
  }
}

export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>
  #length = 0

  constructor(capacity = 1_024) {
    this.#bytes = new Uint8Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  write(bytes: ArrayLike<number>): void {
    this.copy(bytes, 0, bytes.length)
  }

  copy(bytes: ArrayLike<number>, from: number, to: number): void {
    this.#makeRoom(to - from)
    if (to - from > 64 && bytes instanceof Uint8Array) this.#bytes.set(bytes.subarray(from, to), this.#length)
    else for (let at = from; at < to; at++) this.#bytes[this.#length + at - from] = bytes[at] ?? 0
    this.#length += to - from
  }

  clear(): void {
    this.#length = 0
  }

  u32(value: number): void {
    this.write(unsigned(value))
  }

  /** Signed LEB128 of a whole number from 0 to 2^31. */
  signed(value: number): void {
    this.#makeRoom(5)
    let rest = value
    for (; rest >= 0x40; rest >>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80
    this.#bytes[this.#length++] = rest
  }

  #makeRoom(count: number): void {
    const length = this.#length + count
    if (length <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(length, this.#bytes.length * 2))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Unsigned LEB128 of a whole number below 2^53. */
export function unsigned(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(rest > 0 ? low | 0x80 : low)
  } while (rest > 0)
  return bytes
}

export function text(value: string): number[] {
  const bytes = new TextEncoder().encode(value)
  return [...unsigned(bytes.length), ...bytes]
}

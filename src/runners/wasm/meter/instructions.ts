import { type ByteReader, ModuleError } from './bytes.ts'

/** What the meter must know of one instruction. */
export interface Instruction {
  /** Units of fuel: each is about the work of one simple instruction. */
  readonly cost: number
  /**
   * - `loop`: what follows may run again.
   * - `branch`: what follows may be jumped to, or not be reached.
   * - `bulk`: it works on as many bytes, or grows by as many pages, as the number on top of the stack says.
   */
  readonly kind: 'plain' | 'loop' | 'branch' | 'bulk'
  /** Of `global.get` and `global.set`. */
  readonly global?: number
  /** Of `call`. */
  readonly callee?: number
}

const PLAIN: Instruction = { cost: 1, kind: 'plain' }
const BRANCH: Instruction = { cost: 1, kind: 'branch' }
/** Marks a place: nothing is run. */
const BLOCK: Instruction = { cost: 0, kind: 'plain' }
const END: Instruction = { cost: 0, kind: 'branch' }
const LOOP: Instruction = { cost: 4, kind: 'loop' }
const MEMORY: Instruction = { cost: 3, kind: 'plain' }
const DIVISION: Instruction = { cost: 8, kind: 'plain' }
const CALL: Instruction = { cost: 5, kind: 'plain' }
/** It may be one of the host's functions, which cost more. */
const INDIRECT_CALL: Instruction = { cost: 30, kind: 'plain' }
const BULK: Instruction = { cost: 20, kind: 'bulk' }
/** The engine makes a new buffer, however few pages it is. */
const GROW: Instruction = { cost: 5_000, kind: 'bulk' }

/** Integer division and remainder, and floating-point division and square root. */
const DIVISIONS = new Set([0x6d, 0x6e, 0x6f, 0x70, 0x7f, 0x80, 0x81, 0x82, 0x91, 0x95, 0x9f, 0xa3])

/**
 * Reads one instruction with its immediates (WebAssembly 2.0, section 5.4). Instructions of later proposals (exceptions,
 * threads, garbage collection, tail calls) and bulk operations on tables are refused: what a unit of fuel is worth would
 * not hold for them.
 */
export function readInstruction(reader: ByteReader): Instruction {
  const opcode = reader.byte()
  switch (opcode) {
    case 0x00: // unreachable
    case 0x0f: // return
      return BRANCH
    case 0x05: // else
    case 0x0b: // end
      return END
    case 0x01: // nop
    case 0x1a: // drop
    case 0x1b: // select
    case 0xd1: // ref.is_null
      return PLAIN
    case 0x02: // block
      reader.skipNumber()
      return BLOCK
    case 0x03: // loop
      reader.skipNumber()
      return LOOP
    case 0x04: // if
    case 0x0c: // br
    case 0x0d: // br_if
      reader.skipNumber()
      return BRANCH
    case 0x0e: // br_table
      for (let targets = reader.u32() + 1; targets > 0; targets--) reader.skipNumber()
      return BRANCH
    case 0x10: // call
      return { ...CALL, callee: reader.u32() }
    case 0x11: // call_indirect
      reader.skipNumber()
      reader.skipNumber()
      return INDIRECT_CALL
    case 0x1c: // select with types
      for (let types = reader.u32(); types > 0; types--) reader.skipNumber()
      return PLAIN
    case 0x23: // global.get
    case 0x24: // global.set
      return { ...PLAIN, global: reader.u32() }
    case 0x40: // memory.grow
      reader.skipNumber()
      return GROW
    case 0x20: // local.get, local.set, local.tee
    case 0x21:
    case 0x22:
    case 0x25: // table.get, table.set
    case 0x26:
    case 0x3f: // memory.size
    case 0x41: // i32.const, i64.const
    case 0x42:
    case 0xd0: // ref.null
    case 0xd2: // ref.func
      reader.skipNumber()
      return PLAIN
    case 0x43: // f32.const
      reader.skip(4)
      return PLAIN
    case 0x44: // f64.const
      reader.skip(8)
      return PLAIN
    case 0xfc:
      return readExtended(reader)
    case 0xfd:
      return readVector(reader)
  }
  if (opcode >= 0x28 && opcode <= 0x3e) {
    skipMemoryArgument(reader)
    return MEMORY
  }
  if (opcode >= 0x45 && opcode <= 0xc4) return DIVISIONS.has(opcode) ? DIVISION : PLAIN
  throw unsupported(`0x${opcode.toString(16)}`)
}

function readExtended(reader: ByteReader): Instruction {
  const opcode = reader.u32()
  if (opcode <= 7) return PLAIN // saturating truncations
  switch (opcode) {
    case 9: // data.drop
    case 13: // elem.drop
    case 16: // table.size
      reader.skipNumber()
      return PLAIN
    case 8: // memory.init, memory.copy
    case 10:
      reader.skipNumber()
      reader.skipNumber()
      return BULK
    case 11: // memory.fill
      reader.skipNumber()
      return BULK
  }
  throw unsupported(`0xfc ${opcode}`)
}

function readVector(reader: ByteReader): Instruction {
  const opcode = reader.u32()
  if (opcode > 255) throw unsupported(`0xfd ${opcode}`)
  const isLane = opcode >= 84 && opcode <= 91
  if (opcode <= 11 || isLane || opcode === 92 || opcode === 93) {
    skipMemoryArgument(reader)
    if (isLane) reader.skip(1)
    return MEMORY
  }
  if (opcode === 12 || opcode === 13)
    reader.skip(16) // v128.const, i8x16.shuffle
  else if (opcode >= 21 && opcode <= 34) reader.skip(1) // lanes
  return MEMORY
}

function skipMemoryArgument(reader: ByteReader): void {
  if (reader.u32() >= 0x40) throw unsupported('of a second memory')
  reader.skipNumber()
}

function unsupported(instruction: string): ModuleError {
  return new ModuleError(
    `The module has the instruction ${instruction}, which is not supported: compile for WebAssembly 2.0`,
  )
}

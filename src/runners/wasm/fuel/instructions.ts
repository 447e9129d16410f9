import { type ByteReader, ModuleError } from './bytes.ts'

interface Instruction {
  /** Units of fuel: about one simple instruction each. */
  readonly cost: number
  /** Code after `loop` may run again, and code after `branch` may not run; `bulk` processes as many bytes as the stack says. */
  readonly kind: 'plain' | 'loop' | 'branch' | 'bulk'
  readonly global?: number
  readonly callee?: number
}

const PLAIN: Instruction = { cost: 1, kind: 'plain' }
const BRANCH: Instruction = { cost: 1, kind: 'branch' }
const BLOCK: Instruction = { cost: 0, kind: 'plain' }
const END: Instruction = { cost: 0, kind: 'branch' }
const LOOP: Instruction = { cost: 4, kind: 'loop' }
const MEMORY: Instruction = { cost: 3, kind: 'plain' }
const DIVISION: Instruction = { cost: 8, kind: 'plain' }
const CALL: Instruction = { cost: 5, kind: 'plain' }
const INDIRECT_CALL: Instruction = { cost: 30, kind: 'plain' }
const BULK: Instruction = { cost: 20, kind: 'bulk' }
const GROW: Instruction = { cost: 5_000, kind: 'bulk' }

/** Converts floating-point numbers to integers and checks their range. */
const TRUNCATION: Instruction = { cost: 4, kind: 'plain' }
/** The engine is notified of each function in a table. */
const TABLE_WRITE: Instruction = { cost: 40, kind: 'plain' }
/** Filling a few bytes costs more than copying them. */
const FILL: Instruction = { cost: 60, kind: 'bulk' }

const TRUNCATIONS = [0xa8, 0xa9, 0xaa, 0xab, 0xae, 0xaf, 0xb0, 0xb1]
const DIVISIONS = [0x6d, 0x6e, 0x6f, 0x70, 0x7f, 0x80, 0x81, 0x82, 0x91, 0x95, 0x9f, 0xa3]
const VECTOR_DIVISIONS = [227, 231, 239, 243] // f32x4 and f64x2: sqrt, div
const EXTENDED = 0x100

type Simple = Instruction & { readonly numbers: number }
const SIMPLE: Simple[] = []
for (let opcode = 0x45; opcode <= 0xc4; opcode++) SIMPLE[opcode] = { ...PLAIN, numbers: 0 }
for (const [instruction, numbers, opcodes] of [
  [BRANCH, 0, [0x00, 0x0f]], // unreachable, return
  [END, 0, [0x05, 0x0b]], // else, end
  [PLAIN, 0, [0x01, 0x1a, 0x1b, 0xd1]], // nop, drop, select, ref.is_null
  [BLOCK, 1, [0x02]], // block
  [LOOP, 1, [0x03]], // loop
  [BRANCH, 1, [0x04, 0x0c, 0x0d]], // if, br, br_if
  [INDIRECT_CALL, 2, [0x11]], // call_indirect
  [PLAIN, 1, [0x20, 0x21, 0x22]], // local.get, local.set, local.tee
  [PLAIN, 1, [0x25, 0x3f]], // table.get, memory.size
  [TABLE_WRITE, 1, [0x26]], // table.set
  [GROW, 1, [0x40]], // memory.grow
  [PLAIN, 1, [0x41, 0x42, 0xd0, 0xd2]], // i32.const, i64.const, ref.null, ref.func
  [DIVISION, 0, DIVISIONS],
  [TRUNCATION, 0, TRUNCATIONS],
  [TRUNCATION, 0, [0, 1, 2, 3, 4, 5, 6, 7].map((each) => EXTENDED + each)], // saturating
  [BULK, 2, [EXTENDED + 8, EXTENDED + 10]], // memory.init, memory.copy
  [FILL, 1, [EXTENDED + 11]], // memory.fill
  [PLAIN, 1, [EXTENDED + 9, EXTENDED + 13, EXTENDED + 16]], // data.drop, elem.drop, table.size
] as const) {
  for (const opcode of opcodes) SIMPLE[opcode] = { ...instruction, numbers }
}

/** WebAssembly 2.0, section 5.4. Later proposals are refused, because a unit of fuel would not buy the same amount of work. */
export function readInstruction(reader: ByteReader): Instruction {
  const opcode = reader.byte()
  const simple = SIMPLE[opcode]
  if (simple) return readSimple(simple, reader)
  switch (opcode) {
    case 0x0e: // br_table
      for (let targets = reader.u32() + 1; targets > 0; targets--) reader.skipNumber()
      return BRANCH
    case 0x10: // call
      return { ...CALL, callee: reader.u32() }
    case 0x1c: // select with types
      for (let types = reader.u32(); types > 0; types--) reader.skipNumber()
      return PLAIN
    case 0x23: // global.get
    case 0x24: // global.set
      return { ...PLAIN, global: reader.u32() }
    case 0x43: // f32.const
      reader.skip(4)
      return PLAIN
    case 0x44: // f64.const
      reader.skip(8)
      return PLAIN
    case 0xfc: {
      const second = reader.u32()
      const extended = SIMPLE[EXTENDED + second]
      if (extended) return readSimple(extended, reader)
      throw unsupported(`0xfc ${second}`)
    }
    case 0xfd:
      return readVector(reader)
  }
  if (opcode < 0x28 || opcode > 0x3e) throw unsupported(`0x${opcode.toString(16)}`)
  skipMemoryArgument(reader)
  return MEMORY
}

function readSimple(simple: Simple, reader: ByteReader): Instruction {
  for (let remaining = simple.numbers; remaining > 0; remaining--) reader.skipNumber()
  return simple
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
  return VECTOR_DIVISIONS.includes(opcode) ? DIVISION : MEMORY
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

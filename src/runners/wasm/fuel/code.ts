/**
 * Adds fuel charges to the code of functions. A line is the code up to the next branch, and its whole cost is charged before it
 * runs. At the start of a function and of a loop's body, code traps if the fuel is below zero, so neither recursion nor a loop
 * runs without fuel. A bulk instruction is also charged for its bytes, through the function of `bulkBody`.
 */
import { type ByteReader, ByteWriter, ModuleError, unsigned } from './bytes.ts'
import { readInstruction } from './instructions.ts'

export interface FuelCounter {
  readonly fuelGlobal: number
  readonly bulkFunction: number
  readonly globals: number
  readonly imports: number
}

const MAX_BODY = 1024 * 1024
/** Bytes of a module that are metered between two yields, which takes about 5 ms. */
const STRETCH = 64 * 1024
const MAX_LOCALS = 10_000

const ENTRY_COST = 4
const HOST_CALL_COST = 120
const BYTES_PER_UNIT_LOG2 = 3

/** Yields after each stretch. Throws a ModuleError for code that is not supported. */
export function createBodyMeter(gauge: FuelCounter): (body: ByteReader) => Generator<undefined, Uint8Array> {
  const { bulkFunction, fuelGlobal, globals, imports } = gauge
  const global = unsigned(fuelGlobal)
  const beforeCost = Uint8Array.of(0x23, ...global, 0x42)
  const afterCost = Uint8Array.of(0x7d, 0x24, ...global)
  const check = Uint8Array.from(trapWhenEmpty(global))
  const callBulk = Uint8Array.of(0x10, ...unsigned(bulkFunction))
  const line = new ByteWriter()
  let stretchEnd = STRETCH

  return function* (body) {
    if (body.end - body.at > MAX_BODY)
      throw new ModuleError(`A function of the module is larger than ${MAX_BODY} bytes`)
    const out = new ByteWriter(2 * (body.end - body.at) + 64)
    const start = body.at
    skipLocals(body)
    out.copy(body.bytes, start, body.at)

    let cost = ENTRY_COST
    let isChecked = true
    let from = body.at
    const endLine = () => {
      if (cost > 0) {
        out.write(beforeCost)
        out.signed(cost)
        out.write(afterCost)
        if (isChecked) out.write(check)
      }
      out.copy(line.bytes, 0, line.length)
      line.clear()
      out.copy(body.bytes, from, body.at)
      from = body.at
    }
    while (!body.isDone) {
      const at = body.at
      if (at > stretchEnd) {
        stretchEnd = at + STRETCH
        yield
      }
      const instruction = readInstruction(body)
      if (instruction.global !== undefined && instruction.global >= globals)
        throw new ModuleError('The module uses a global that it does not have')
      if (instruction.kind === 'loop') {
        endLine()
        cost = instruction.cost
        isChecked = true
        continue
      }
      const isHostCall = instruction.callee !== undefined && instruction.callee < imports
      cost += isHostCall ? HOST_CALL_COST : instruction.cost
      if (instruction.kind === 'bulk') {
        line.copy(body.bytes, from, at)
        line.write(callBulk)
        from = at
      } else if (instruction.kind === 'branch') {
        endLine()
        cost = 0
        isChecked = false
      }
    }
    out.copy(body.bytes, from, body.at)
    return out.bytes
  }
}

function skipLocals(body: ByteReader): void {
  let locals = 0
  for (let groups = body.u32(); groups > 0; groups--) {
    locals += body.u32()
    body.skipNumber()
  }
  if (locals > MAX_LOCALS) throw new ModuleError(`A function of the module has more than ${MAX_LOCALS} variables`)
}

/** `(func (param i32) (result i32))`: charges fuel for a number of bytes, and returns that number. */
export function bulkBody({ fuelGlobal }: Pick<FuelCounter, 'fuelGlobal'>): number[] {
  const global = unsigned(fuelGlobal)
  const bytes = [0x20, 0, 0xad, 0x42, BYTES_PER_UNIT_LOG2, 0x88]
  return [0, 0x23, ...global, ...bytes, 0x7d, 0x24, ...global, ...trapWhenEmpty(global), 0x20, 0, 0x0b]
}

function trapWhenEmpty(global: readonly number[]): number[] {
  return [0x23, ...global, 0x42, 0, 0x53, 0x04, 0x40, 0x00, 0x0b]
}

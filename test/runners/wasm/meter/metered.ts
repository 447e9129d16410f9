import { meterModule, type Metered, type MeterOptions } from '../../../../src/runners/wasm/meter/meter.ts'

/** A module metered at a stretch, and how often others would have been let in. */
export function meteredInSteps(module: Uint8Array, options: MeterOptions): Metered & { readonly steps: number } {
  const metering = meterModule(module, options)
  let step = metering.next()
  let steps = 0
  for (; !step.done; step = metering.next()) steps += 1
  return { ...step.value, steps }
}

import { addFuelMetering, type MeteredModule, type MeterOptions } from '../../../../src/runners/wasm/fuel/meter.ts'

/** A module metered at a stretch, and how often others would have been let in. */
export function meteredInSteps(module: Uint8Array, options: MeterOptions): MeteredModule & { readonly steps: number } {
  const metering = addFuelMetering(module, options)
  let step = metering.next()
  let steps = 0
  for (; !step.done; step = metering.next()) steps += 1
  return { ...step.value, steps }
}

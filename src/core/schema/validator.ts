import type { Problem } from '../tool/problem.ts'
import type { JsonSchema } from '../tool/tool.ts'

/** Checks a JSON value against one schema: every problem at once (at most 100), none when it is valid. Never throws. */
export type Validate = (value: unknown) => readonly Problem[]

/** Makes a schema's validator. The schema has passed `checkSchema`. */
export type CompileSchema = (schema: JsonSchema) => Validate

/** The most problems a validator reports. */
export const MAX_PROBLEMS = 100

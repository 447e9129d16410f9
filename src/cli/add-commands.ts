import type { Command } from 'commander'
import type { Open } from './session.ts'

/** Adds commands to a program. */
export type AddCommands = (program: Command, open: Open) => void

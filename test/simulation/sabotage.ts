import type { World } from './world.ts'

/** Damage that no storage or code causes, used to check that the simulation detects it. */
export type Sabotage = (world: World) => unknown

/** Repeats a sabotage, every second by default. */
export function repeat(world: World, sabotage: Sabotage, everyMs = 1_000): void {
  world.clock.set(() => {
    sabotage(world)
    repeat(world, sabotage, everyMs)
  }, everyMs)
}

/** Damages a table in all objects that have it and whose name starts with `objects`. */
export function damage(objects: string, table: string, query: string): Sabotage {
  return ({ databases }) => {
    for (const sql of databases(objects)) if (has(sql, table)) sql.exec(query)
  }
}

/** Restores the tokens of each vault's grants to their first seen values. */
export function restoreTokens(): Sabotage {
  const first = new WeakMap<SqlStorage, string>()
  return ({ databases }) => {
    for (const sql of databases('Vault').filter((each) => has(each, 'account_grant'))) {
      const [grant] = sql.exec<{ sealed: string }>('SELECT sealed FROM account_grant WHERE lost IS NULL').toArray()
      if (!grant) continue
      first.set(sql, first.get(sql) ?? grant.sealed)
      sql.exec('UPDATE account_grant SET sealed = ?', first.get(sql) ?? '')
    }
  }
}

function has(sql: SqlStorage, table: string): boolean {
  return sql.exec('SELECT 1 FROM sqlite_master WHERE name = ?', table).toArray().length > 0
}

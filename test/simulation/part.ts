/** A fake of what the platform gives: it has what the code under test uses of it, and nothing else. */
export function part<T extends object>(of: Partial<T>): T {
  const fake: T = Object.assign(Object.create(null), of)
  return fake
}

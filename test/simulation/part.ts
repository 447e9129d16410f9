/** Creates a fake of a platform object with only the members that the code under test uses. */
export function part<T extends object>(of: Partial<T>): T {
  const fake: T = Object.assign(Object.create(null), of)
  return fake
}

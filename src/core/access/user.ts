/** What a user has here, apart from grants, which only the user's vault counts. `keys` are API keys that name the user. */
export interface UserSummary {
  readonly user: string
  readonly sessions: number
  readonly agents: number
  readonly keys: number
  readonly mayHaveGrants: boolean
}

/** Users whose id contains `text`, in the order of their ids. */
export interface UserPageRequest {
  readonly after: string
  readonly text: string
  readonly limit: number
}

export interface UserList {
  list(page: UserPageRequest): Promise<readonly UserSummary[]>
  /** Call for a user whose vault has no grant. */
  forgetGrantHolder(user: string): Promise<void>
}

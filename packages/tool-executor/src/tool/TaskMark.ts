/**
 * The variable that every process of a task has in its environment, and hands on to what it starts.
 *
 * What widens rights refuses where it finds it, in its own environment or in that of a process above: nothing that a model
 * started may answer for the person. A process can take it out of what it starts, never out of what started it.
 */
export const variable = "BELAY_TASK"

/** Every command of the manifest. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { abandonSubtask } from "./commands/tasks/abandonSubtask.ts"
import {
  allowAlways,
  allowForTask,
  allowOnce,
  answer,
  deny,
  denyWithReason,
  nextNeedsYou
} from "./commands/workspace/answer.ts"
import * as checklist from "./commands/workspace/checklist.ts"
import { branchTask } from "./commands/tasks/branchTask.ts"
import { checkHistory } from "./commands/workspace/checkHistory.ts"
import { chooseApprovals } from "./commands/workspace/chooseApprovals.ts"
import { chooseTaskModel } from "./commands/workspace/chooseTaskModel.ts"
import { chooseModel } from "./commands/workspace/chooseModel.ts"
import { compareCheckpoint } from "./commands/workspace/compareCheckpoint.ts"
import { continueTask } from "./commands/tasks/continueTask.ts"
import { copyId, copyLink } from "./commands/tasks/copy.ts"
import { deleteTask } from "./commands/tasks/deleteTask.ts"
import { undeleteTask } from "./commands/tasks/undeleteTask.ts"
import { demo } from "./commands/tasks/demo.ts"
import { exportTask } from "./commands/tasks/exportTask.ts"
import { findLostTasks } from "./commands/workspace/findLostTasks.ts"
import { importHistory } from "./commands/workspace/importHistory.ts"
import { removeKey, setKey, useNoKey } from "./commands/workspace/keys.ts"
import * as mcp from "./commands/workspace/mcp.ts"
import * as material from "./commands/workspace/material.ts"
import { switchMode, toggleMode } from "./commands/tasks/mode.ts"
import { newConversation, newTask, newTaskInEditor, newTaskInWorktree } from "./commands/tasks/newTask.ts"
import { openConversationInEditor, openTaskInEditor, openParent, openTask } from "./commands/tasks/openTask.ts"
import { focusInput } from "./commands/tasks/focusInput.ts"
import { renameTask } from "./commands/tasks/renameTask.ts"
import { restoreCheckpoint, undoRestore } from "./commands/workspace/restoreCheckpoint.ts"
import { resume, resumeAll, tryNow } from "./commands/tasks/resume.ts"
import {
  applyEdit,
  applyWithChanges,
  rejectEdit,
  rejectEditWithReason,
  reviewChanges
} from "./commands/workspace/review.ts"
import { clearFilter, filterTasks, searchTasks } from "./commands/tasks/searchTasks.ts"
import { showAllowed } from "./commands/tasks/showAllowed.ts"
import { showCommands } from "./commands/workspace/showCommands.ts"
import { showFound } from "./commands/workspace/showFound.ts"
import { showOptions } from "./commands/tasks/showOptions.ts"
import { restartSubtask } from "./commands/tasks/restartSubtask.ts"
import { stop, stopAll, stopTree } from "./commands/tasks/stop.ts"
import { takeOver } from "./commands/tasks/takeOver.ts"
import { openTranscriptAsText } from "./commands/tasks/transcript.ts"
import { loadMore, openSettings, openWalkthrough, showLog, showNeedsYou } from "./commands/workspace/views.ts"

export const layer = Layer.effectDiscard(
  Effect.all([
    newTask,
    newTaskInEditor,
    newTaskInWorktree,
    openTask,
    openTaskInEditor,
    openConversationInEditor,
    focusInput,
    openParent,
    allowOnce,
    allowForTask,
    allowAlways,
    deny,
    denyWithReason,
    answer,
    nextNeedsYou,
    reviewChanges,
    applyEdit,
    applyWithChanges,
    rejectEdit,
    rejectEditWithReason,
    switchMode,
    toggleMode,
    stop,
    stopTree,
    stopAll,
    takeOver,
    tryNow,
    resume,
    resumeAll,
    continueTask,
    exportTask,
    showAllowed,
    chooseModel,
    chooseTaskModel,
    chooseApprovals,
    newConversation,
    checkHistory,
    importHistory,
    findLostTasks,
    renameTask,
    compareCheckpoint,
    restoreCheckpoint,
    undoRestore,
    branchTask,
    copyId,
    copyLink,
    deleteTask,
    undeleteTask,
    searchTasks,
    filterTasks,
    clearFilter,
    showCommands,
    showFound,
    abandonSubtask,
    restartSubtask,
    ...Object.values(checklist),
    ...Object.values(material),
    ...Object.values(mcp),
    showOptions,
    openTranscriptAsText,
    setKey,
    removeKey,
    useNoKey,
    openSettings,
    openWalkthrough,
    demo,
    showLog,
    showNeedsYou,
    loadMore
  ])
)

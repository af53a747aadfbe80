/** Every command of the manifest. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { abandonSubtask } from "./commands/abandonSubtask.ts"
import { allowAlways, allowForTask, allowOnce, answer, deny, denyWithReason, nextNeedsYou } from "./commands/answer.ts"
import * as checklist from "./commands/checklist.ts"
import { branchTask } from "./commands/branchTask.ts"
import { checkHistory } from "./commands/checkHistory.ts"
import { chooseModel } from "./commands/chooseModel.ts"
import { compareCheckpoint } from "./commands/compareCheckpoint.ts"
import { continueTask } from "./commands/continueTask.ts"
import { copyId, copyLink } from "./commands/copy.ts"
import { deleteTask } from "./commands/deleteTask.ts"
import { undeleteTask } from "./commands/undeleteTask.ts"
import { demo } from "./commands/demo.ts"
import { exportTask } from "./commands/exportTask.ts"
import { importHistory } from "./commands/importHistory.ts"
import { removeKey, setKey, useNoKey } from "./commands/keys.ts"
import * as mcp from "./commands/mcp.ts"
import * as material from "./commands/material.ts"
import { switchMode, toggleMode } from "./commands/mode.ts"
import { newTask, newTaskInEditor } from "./commands/newTask.ts"
import { openConversationInEditor, openTaskInEditor, openParent, openTask } from "./commands/openTask.ts"
import { focusInput } from "./commands/focusInput.ts"
import { renameTask } from "./commands/renameTask.ts"
import { restoreCheckpoint, undoRestore } from "./commands/restoreCheckpoint.ts"
import { resume, resumeAll } from "./commands/resume.ts"
import { applyEdit, applyWithChanges, rejectEdit, rejectEditWithReason, reviewChanges } from "./commands/review.ts"
import { clearFilter, filterTasks, searchTasks } from "./commands/searchTasks.ts"
import { showAllowed } from "./commands/showAllowed.ts"
import { showCommands } from "./commands/showCommands.ts"
import { showFound } from "./commands/showFound.ts"
import { showOptions } from "./commands/showOptions.ts"
import { startOverSubtask } from "./commands/startOverSubtask.ts"
import { stop, stopAll, stopTree } from "./commands/stop.ts"
import { takeOver } from "./commands/takeOver.ts"
import { openTranscriptAsText } from "./commands/transcript.ts"
import { loadMore, openSettings, openWalkthrough, showLog, showNeedsYou } from "./commands/views.ts"

export const layer = Layer.effectDiscard(
  Effect.all([
    newTask,
    newTaskInEditor,
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
    resume,
    resumeAll,
    continueTask,
    exportTask,
    showAllowed,
    chooseModel,
    checkHistory,
    importHistory,
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
    startOverSubtask,
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

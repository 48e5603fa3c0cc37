"""Every method of the contract with its params and result: what schemas and router are held to."""

from msgspec import Struct

from memplugin.protocol import callbacks, calls, capabilities, requests

KERNEL_TO_PLUGIN: dict[str, tuple[type[Struct], type[Struct]]] = {
    "memory.get_capabilities": (requests.Empty, capabilities.MemoryCapabilitiesResult),
    "memory.configure": (requests.ConfigureRequest, requests.Empty),
    "memory.recall": (requests.RecallRequest, requests.RecallResult),
    "memory.record": (requests.RecordRequest, requests.RecordAnswer),
    "memory.update_record": (requests.UpdateRecordRequest, requests.RecordAnswer),
    "memory.delete_record": (requests.IdRequest, requests.DeleteAnswer),
    "memory.approve_record": (requests.IdRequest, requests.RecordAnswer),
    "memory.reject_record": (requests.IdRequest, requests.DeleteAnswer),
    "memory.list_records": (requests.ListRecordsRequest, requests.ListRecordsResult),
    "memory.get_record": (requests.IdRequest, requests.GetRecordResult),
    "memory.list_links": (requests.ListLinksRequest, requests.ListLinksResult),
    "memory.render": (requests.RenderRequest, requests.RenderResult),
    "memory.describe": (requests.Empty, capabilities.DescribeResult),
    "memory.dispatch_hook": (requests.DispatchHookRequest, requests.DispatchHookResult),
    "tool.get_schema": (requests.Empty, capabilities.ToolSchemaResult),
    "tool.configure": (requests.ConfigureRequest, requests.Empty),
    "tool.describe": (requests.Empty, capabilities.DescribeResult),
    "tool.invoke": (calls.ToolInvokeRequest, calls.InvokeResult),
    "tool.preview": (calls.ToolInvokeRequest, calls.PreviewResult),
    "slashcommand.get_capabilities": (requests.Empty, capabilities.CommandCapabilitiesResult),
    "slashcommand.configure": (requests.ConfigureRequest, requests.Empty),
    "slashcommand.describe": (requests.Empty, capabilities.DescribeResult),
    "slashcommand.invoke": (calls.SlashInvokeRequest, calls.InvokeResult),
}

PLUGIN_TO_KERNEL: dict[str, tuple[type[Struct], type[Struct]]] = {
    "kernel.count_tokens": (callbacks.CountTokensParams, callbacks.CountTokensResult),
    "kernel.log": (callbacks.LogParams, requests.Empty),
    "kernel.emit": (callbacks.EmitParams, callbacks.EmitResult),
    "kernel.run_session": (callbacks.RunSessionParams, callbacks.RunSessionResult),
}

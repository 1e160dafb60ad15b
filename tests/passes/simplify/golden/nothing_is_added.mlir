!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  "asc.printf"(%n) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!int) -> ()
}) {sym_name = "nothing_is_added", parameters = ["n", "m", "x"]} : () -> ()

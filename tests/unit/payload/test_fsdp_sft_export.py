from fsdp_sft_export import plan_files


def test_files_are_filled_in_order_up_to_their_size():
    assert plan_files({"a": 4, "b": 4, "c": 4, "d": 1}, 8) == [["a", "b"], ["c", "d"]]


def test_a_tensor_larger_than_a_file_has_one_of_its_own():
    assert plan_files({"a": 1, "big": 100, "c": 1}, 8) == [["a"], ["big"], ["c"]]
